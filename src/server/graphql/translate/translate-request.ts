import type { IncomingHttpHeaders } from 'node:http';
import { setImmediate as otherWork } from 'node:timers/promises';
import { stripIgnoredCharacters, type GraphQLSchema } from 'graphql';
import { AppError } from '../../../core/errors.ts';
import type { RequestFacts, RestBody, Route, Translation } from '../../../core/rest/route.ts';
import { limitParallel } from '../../../core/turns/limit.ts';
import { compileRoutes } from '../../routes/match-route.ts';
import { parseRestBody } from '../../http/read-body.ts';
import { routes } from '../../routes/routes.ts';
import { composeOperation, type ComposedOperation } from './compose-operation.ts';
import { locate, readRequestText, tellingHeaders } from './read-request-text.ts';

/** A REST request with its GraphQL translation. */
export interface ExplainedRequest extends ComposedOperation {
  route: Route;
  method: string;
  /** Path below BASE_PATH and query, as in the request. */
  target: string;
  /** The headers that matter for its meaning, including the type of the body. */
  headers: Record<string, string>;
  body: string;
  ignored: { name: string; reason: string; defaulted: boolean }[];
  notes: string[];
}

const match = compileRoutes(routes);

const inTurn = limitParallel(1);

/**
 * Translates a REST request that somebody wrote down. Reads no data. Throws AppError with a message for people if it
 * can't be translated.
 */
export async function translateRequest(
  schema: GraphQLSchema,
  own: { baseUrl: string; basePath: string },
  input: { url: string; method?: string | undefined; body?: string | undefined },
): Promise<ExplainedRequest> {
  // Each in a turn of the event loop of its own: a document may ask for thirty.
  await inTurn(() => otherWork());
  const { method, url, headers, body } = readRequestText(input.url, input);
  const { pathname, query } = locate(url, own);
  const found = match(method, pathname);
  if (!found)
    throw new AppError('E900', {
      message: `No REST path is called ${pathname.slice(0, 200)}: the list is in docs/migration.md`,
    });
  if ('allowed' in found)
    throw new AppError('E900', {
      message: `${pathname.slice(0, 200)} is called with ${found.allowed.join(' or ')}, not with ${method.slice(0, 20)}`,
    });
  const contentType = contentTypeOf(headers, body);
  const facts: RequestFacts = {
    path: found.path,
    query,
    headers: { ...headers, 'content-type': contentType },
    body: () => Promise.resolve(bodyOf(contentType, body)),
  };
  const explained = await explainRoute(schema, found.route, facts).catch((cause: unknown) => {
    throw cause instanceof AppError
      ? new AppError(cause.code, {
          message: `REST refuses this request: ${cause.message}`,
          status: 400,
          graphqlCode: 'BAD_USER_INPUT',
          cause,
        })
      : cause;
  });
  const search = query.size > 0 ? `?${url.slice(url.indexOf('?') + 1).replace(/#.*/s, '')}` : '';
  return {
    ...explained,
    route: found.route,
    method,
    target: pathname + search,
    headers: tellingHeaders(facts.headers),
    body,
  };
}

/** Translates a request of a route. Throws what the route throws for parameters that it refuses. */
export async function explainRoute(
  schema: GraphQLSchema,
  route: Route,
  request: RequestFacts,
): Promise<ComposedOperation & Pick<ExplainedRequest, 'ignored' | 'notes'>> {
  if (!route.explain)
    throw new AppError('E900', {
      message: 'SCIM has no translation: docs/identity.md says how users are managed in GraphQL',
    });
  const translation: Translation = await route.explain(request);
  const operation = composeOperation(
    schema,
    route.operation.replace(/^./, (first) => first.toUpperCase()),
    translation,
  );
  const ignored = (translation.ignored ?? []).map(({ name, reason, defaulted }) => {
    const preset = route.parameters.find((parameter) => parameter.name === name)?.schema.default;
    return {
      name,
      defaulted,
      reason: defaulted
        ? `${reason}: ${preset === undefined ? 'as if it were not sent' : `the default ${typeof preset === 'string' ? preset : JSON.stringify(preset)} counts`}`
        : reason,
    };
  });
  return {
    ...operation,
    ignored,
    notes: (translation.notes ?? []).filter((note) => note !== false),
  };
}

/** The type of the body according to curl or the form; otherwise guessed from its text. */
function contentTypeOf(headers: IncomingHttpHeaders, body: string): string | undefined {
  if (body.trim() === '') return headers['content-type'];
  return (
    headers['content-type'] ??
    (/^\s*[[{"]/.test(body) ? 'application/json' : 'application/x-www-form-urlencoded')
  );
}

/** A multipart form is treated as a plain one, since its files are not available. */
function bodyOf(contentType: string | undefined, body: string): RestBody {
  return parseRestBody(
    contentType === undefined || contentType.startsWith('multipart/')
      ? 'application/x-www-form-urlencoded'
      : contentType,
    body,
  );
}

/** The text of an operation on one line, as a header needs it. */
export function inOneLine(text: string): string {
  return stripIgnoredCharacters(text);
}
