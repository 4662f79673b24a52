import type { RestRequest, Route } from '../../core/rest/route.ts';
import { schema } from '../graphql/schema/schema.ts';
import { explainRoute, inOneLine } from '../graphql/translate/translate-request.ts';

/** Longest value of a header; a longer one is left out, for proxies refuse heads of more than 8 KiB. */
const MAX_VALUE = 3_000;

/**
 * What `X-Explain: 1` adds to an answer: the GraphQL operation and its variables, and where they are explained. Nothing without the header, for a request
 * that can not be translated, and for paths that hold a secret. Never fails.
 */
export async function explainHeaders(
  route: Route,
  request: RestRequest,
  target: { method: string; url: string; basePath: string },
): Promise<Record<string, string>> {
  if (request.headers['x-explain'] !== '1' || route.auth === 'none') return {};
  try {
    // The body of a transfer belongs to the route, which reads it once.
    const facts = route.transfer
      ? {
          ...request,
          body: () => Promise.resolve({ kind: 'form', form: new URLSearchParams() } as const),
        }
      : request;
    const { text, variables } = await explainRoute(schema, route, facts);
    const method =
      target.method === 'GET' || target.method === 'HEAD'
        ? ''
        : `&method=${encodeURIComponent(target.method)}`;
    const values = {
      'x-graphql-operation': inOneLine(text),
      'x-graphql-variables': asciiOnly(JSON.stringify(variables)),
      link: `<${target.basePath}/explain?url=${encodeURIComponent(target.url)}${method}>; rel="alternate"; type="text/html"; title="GraphQL"`,
    };
    return Object.fromEntries(
      Object.entries(values).filter(([, value]) => value.length <= MAX_VALUE),
    );
  } catch {
    return {};
  }
}

/** JSON means the same with what headers can not hold as \u escapes. */
function asciiOnly(json: string): string {
  return json.replaceAll(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
