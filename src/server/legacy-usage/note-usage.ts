import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../../core/context/context.ts';
import { isRecord } from '../../core/json-values.ts';
import type { RestBody, Route } from '../../core/rest/route.ts';
import { clientName, UNKNOWN, usedHeaders, usedParameters } from './usage-names.ts';

/**
 * Counts a call of a route; the returned function also counts the names in its body, once it was read. Only identified
 * callers can name a client.
 */
export function noteUsage(
  ctx: Context,
  route: Route,
  request: { headers: IncomingHttpHeaders; query: URLSearchParams },
): (names: Iterable<string>) => void {
  const domainId = ctx.viewer?.domainId ?? ctx.customer?.domainId ?? null;
  const inQuery = usedParameters(route, request.query.keys());
  const call = {
    domainId,
    method: route.method,
    path: route.path,
    client: domainId === null ? UNKNOWN : clientName(request.headers),
  };
  const note = (): void =>
    ctx.usage.note({ ...call, parameters: [...inQuery, ...usedHeaders(route, request.headers)] });
  // A read that was started for a cached viewer is counted only if its result is used.
  if (ctx.identified)
    void ctx.identified.then(
      (viewer) => viewer === ctx.viewer && note(),
      () => undefined,
    );
  else note();
  return (names) =>
    ctx.usage.noteParameters({
      ...call,
      parameters: usedParameters(route, names).filter((name) => !inQuery.includes(name)),
    });
}

/** The names in a form or a JSON object. */
export function namesIn(body: RestBody): Iterable<string> {
  if (body.kind === 'form') return body.form.keys();
  return isRecord(body.json) ? Object.keys(body.json) : [];
}
