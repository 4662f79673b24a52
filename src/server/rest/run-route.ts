import type { IncomingMessage } from 'node:http';
import { requireCustomer, requireScimClient, signedIn } from '../../auth/guards.ts';
import type { Context } from '../../core/context/context.ts';
import { AppError, ValidationError } from '../../core/errors.ts';
import { prefersStrict, STRICT } from '../../core/rest/parameters.ts';
import type { Reply, RestBody, RestReply, RestRequest, Route } from '../../core/rest/route.ts';
import { deprecationHeaders } from '../routes/deprecations.ts';
import { namesIn, noteUsage } from '../legacy-usage/note-usage.ts';
import { explainHeaders } from '../explain/explain-headers.ts';
import { limitReads } from '../http/answers-sent.ts';
import { isHangUp } from '../http/is-hang-up.ts';
import { toAppError } from '../../core/failures/to-app-error.ts';
import { presentError } from '../http/present-error.ts';
import { readRestBody, refuseEncoded } from '../http/read-body.ts';
import { onRecord } from '../../core/audit/on-record.ts';
import { stoppedReads } from '../../core/context/stopped-reads.ts';
import { startRouteAct, tellBody } from './put-route-on-record.ts';

/** The parameters in the path, and the query. */
interface Target {
  path: Record<string, string>;
  query: URLSearchParams;
}

/**
 * Runs a matched route. With a replica, GETs read from it, and after any other method the session remembers the position
 * of its write.
 */
export async function runRoute(
  ctx: Context,
  route: Route,
  request: IncomingMessage,
  target: Target,
): Promise<Reply> {
  const { replicas, viewer } = ctx;
  if (!replicas) return answer(ctx, route, request, target);
  if (route.method === 'GET')
    return answer({ ...ctx, reads: replicas.readsFor(viewer) }, route, request, target);
  const reply = await answer(ctx, route, request, target);
  await replicas.noteWrite(viewer);
  return reply;
}

/** Every failure becomes an error body in the format of the route's document; unexpected ones are logged here, once. */
async function answer(
  ctx: Context,
  route: Route,
  request: IncomingMessage,
  target: Target,
): Promise<Reply> {
  const deprecation = deprecationHeaders(route, ctx.config.basePath);
  // Nothing replaces SCIM: its use is not counted as that of a path to be left.
  const noteFields = route.explain
    ? noteUsage(ctx, route, { headers: request.headers, query: target.query })
    : () => undefined;
  let extra = deprecation;
  try {
    if (route.transfer) refuseEncoded(request);
    const stops = route.method === 'GET' && !route.transfer;
    const act = startRouteAct(ctx, route, target);
    const caller = stops
      ? { ...ctx, ...stoppedReads({ db: ctx.db, reads: ctx.reads, signal: limitReads(ctx) }) }
      : act
        ? { ...ctx, act }
        : ctx;
    const readBody = async (): Promise<RestBody> => {
      const read = await readRestBody(request);
      tellBody(act, route, read);
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
    const explain = async (): Promise<void> => {
      const explained = await explainHeaders(route, rest, {
        method: request.method ?? 'GET',
        url: request.url ?? '',
        basePath: ctx.config.basePath,
      });
      extra = { ...explained, ...joined(deprecation, explained) };
    };
    const run = async (): Promise<RestReply> => {
      const serve = runFor(caller, route);
      if (request.headers['x-explain'] !== undefined) await explain();
      return serve(rest);
    };
    const reply = await (act ? onRecord(ctx, act, run) : run());
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
    const strict = error instanceof ValidationError && prefersStrict(request);
    return { ...reply, headers: { ...reply.headers, ...extra, ...(strict && STRICT) } };
  }
}

/** The function that runs the route for this caller. Throws E202 if the caller may not call it. */
function runFor(ctx: Context, route: Route): (request: RestRequest) => Promise<RestReply> {
  if (route.auth === 'customer') requireCustomer(ctx);
  if (route.auth === 'scim') requireScimClient(ctx);
  if (route.auth === 'customer' || route.auth === 'scim' || route.auth === 'none')
    return (rest) => route.run(ctx, rest);
  const caller = signedIn(ctx);
  return (rest) => route.run(caller, rest);
}

/** The first headers, with the Link of the second added to their own. */
function joined(
  headers: Record<string, string>,
  { link }: Record<string, string>,
): Record<string, string> {
  return link !== undefined && headers['link'] !== undefined
    ? { ...headers, link: `${headers['link']}, ${link}` }
    : headers;
}

/** Problems name fields of GraphQL's input; this replaces them by the names of the REST document. */
function inWordsOf({ fieldNames }: Route, error: AppError): AppError {
  if (!fieldNames || !(error instanceof ValidationError)) return error;
  const words = new Map(Object.entries(fieldNames));
  return new ValidationError(
    error.problems.map((problem) => ({
      ...problem,
      path: problem.path
        .filter((part, index) => index > 0 || part !== 'input')
        .map((part) => words.get(part) ?? part),
    })),
  );
}
