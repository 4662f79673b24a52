import type { RestRequest, Route } from '../../core/rest/route.ts';
import { schema } from '../graphql/schema/schema.ts';
import { explainRoute, inOneLine } from '../graphql/translate/translate-request.ts';

/** Longest value of a header; a longer one is left out, because proxies refuse headers of more than 8 KiB. */
const MAX_VALUE = 3_000;

/**
 * The headers that `X-Explain: 1` adds to a reply: the GraphQL operation, its variables, and a link to the explanation.
 * Empty without that header, for requests that can't be translated, and for paths that contain a secret. Never fails.
 */
export async function explainHeaders(
  route: Route,
  request: RestRequest,
  target: { method: string; url: string; basePath: string },
): Promise<Record<string, string>> {
  if (request.headers['x-explain'] !== '1' || route.auth === 'none') return {};
  try {
    // A transfer's body can be read only once, by its route.
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

/** Escapes characters that headers can't contain as \u, which means the same in JSON. */
function asciiOnly(json: string): string {
  return json.replaceAll(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
