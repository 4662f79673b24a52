import type { IncomingMessage } from 'node:http';
import { requireCustomer, signedIn } from '../../auth/guards.ts';
import type { Context } from '../../core/context/context.ts';
import { AppError, ValidationError } from '../../core/errors.ts';
import type { RestBody, RestReply, RestRequest, Route } from '../../core/rest/route.ts';
import { deprecationHeaders } from '../routes/deprecations.ts';
import { namesIn, noteUsage } from '../legacy-usage/note-usage.ts';
import { explainHeaders } from '../explain/explain-headers.ts';
import { isHangUp } from '../http/is-hang-up.ts';
import { presentError, toAppError } from '../http/present-error.ts';
import { readRestBody } from '../http/read-body.ts';
import { stoppedReads } from '../../core/context/stopped-reads.ts';

/** Runs a matched route. Every failure becomes the error body of the route's document; unexpected ones are logged once, here. */
export async function runRoute(
  ctx: Context,
  route: Route,
  request: IncomingMessage,
  target: { path: Record<string, string>; query: URLSearchParams },
): Promise<RestReply & { status: number }> {
  const deprecation = deprecationHeaders(route, ctx.config.basePath);
  const noteFields = noteUsage(ctx, route, { headers: request.headers, query: target.query });
  let extra = deprecation;
  try {
    const run = runFor(ctx, route);
    const readBody = async (): Promise<RestBody> => {
      const read = await readRestBody(request);
      noteFields(namesIn(read));
      return read;
    };
    let body: Promise<RestBody> | undefined;
    const rest: RestRequest = {
      headers: request.headers,
      body: () => (body ??= readBody()),
      stream: request,
      noteFields,
      ...target,
    };
    if (request.headers['x-explain'] !== undefined) {
      const explained = await explainHeaders(route, rest, {
        method: request.method ?? 'GET',
        url: request.url ?? '',
        basePath: ctx.config.basePath,
      });
      extra = { ...explained, ...joined(deprecation, explained) };
    }
    if (route.method === 'GET' && !route.transfer) Object.assign(ctx, stoppedReads(ctx));
    const reply = await run(rest);
    return { status: 200, ...reply, headers: { ...reply.headers, ...extra } };
  } catch (cause) {
    const error = inWordsOf(route, toAppError(cause));
    const failed = error.code === 'E302' && !isHangUp(cause, ctx.signal);
    if (failed) {
      ctx.log.error(
        { err: error.cause ?? error, requestId: ctx.requestId, operation: route.operation },
        'request failed',
      );
      ctx.trace.outcome = 'failed';
      ctx.trace.told = true;
    }
    if (failed && route.failsAsNoData) ctx.telemetry.degraded(route.operation);
    const shown =
      error.code === 'E302' && route.failsAsNoData
        ? new AppError('E404', { headers: { 'x-degraded': 'true' } })
        : error;
    const reply = presentError(route.family, shown, ctx.requestId, route.noDataKey);
    return { ...reply, headers: { ...reply.headers, ...extra } };
  }
}

/** What a route does for this caller. Throws E202 where it is not for them. */
function runFor(ctx: Context, route: Route): (request: RestRequest) => Promise<RestReply> {
  if (route.auth === 'customer') requireCustomer(ctx);
  if (route.auth === 'customer' || route.auth === 'none') return (rest) => route.run(ctx, rest);
  const caller = signedIn(ctx);
  return (rest) => route.run(caller, rest);
}

/** The first headers, with a Link of the second beside their own. */
function joined(
  headers: Record<string, string>,
  { link }: Record<string, string>,
): Record<string, string> {
  return link !== undefined && headers['link'] !== undefined
    ? { ...headers, link: `${headers['link']}, ${link}` }
    : headers;
}

/** Problems name the fields of GraphQL's input; the client of a path knows them by the names of its document. */
function inWordsOf({ fieldNames }: Route, error: AppError): AppError {
  if (!fieldNames || !(error instanceof ValidationError)) return error;
  return new ValidationError(
    error.problems.map((problem) => ({
      ...problem,
      path: problem.path
        .filter((part, index) => index > 0 || part !== 'input')
        .map((part) => fieldNames[part] ?? part),
    })),
  );
}
