import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../../core/context/context.ts';
import type { RestBody, Route } from '../../core/rest/route.ts';
import { clientName, UNKNOWN, usedHeaders, usedParameters } from './usage-names.ts';

/** Counts a call of a route; the result counts the names in its body too, once it was read. Who is not known can not name a client. */
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
  // What was begun for a viewer who was only recalled counts if it is kept.
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

/** The names in a body that is a form or an object. */
export function namesIn(body: RestBody): Iterable<string> {
  if (body.kind === 'form') return body.form.keys();
  return typeof body.json === 'object' && body.json !== null && !Array.isArray(body.json)
    ? Object.keys(body.json)
    : [];
}
