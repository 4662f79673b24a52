import { actorOf, isOpenTo, startAct, tellObject, type Act } from '../../core/context/act.ts';
import type { Context } from '../../core/context/context.ts';
import { isRecord } from '../../core/json-values.ts';
import type { RestBody, Route } from '../../core/rest/route.ts';

/** Parameters that name objects, in lower case. */
const typenames: Readonly<Record<string, string>> = {
  'feed-key': 'Feed',
  workspaceid: 'Workspace',
  datasetid: 'Dataset',
  imageid: 'DatasetImage',
  projectid: 'Project',
};

/** What a request names leaves room in the entry for what its operation names. */
const MOST_NAMED = 20;

/** Does the route write, so that it leaves an entry in the audit log? */
function isWrite({ method, onlyReads }: Route): boolean {
  return method !== 'GET' && onlyReads !== true;
}

/** Begins the act of a route that writes. */
export function startRouteAct(
  ctx: Context,
  route: Route,
  target: { path: Record<string, string>; query: URLSearchParams },
): Act | undefined {
  if (!isWrite(route)) return undefined;
  const act = startAct(
    { ...actorOf(ctx), isOpen: isOpenTo(ctx), surface: 'REST', action: route.operation },
    ctx.clock,
  );
  for (const [name, value] of Object.entries(target.path)) tellParameter(act, name, value);
  const known = new Set(route.parameters.map(({ name }) => name.toLowerCase()));
  for (const [name, value] of target.query)
    if (known.has(name.toLowerCase())) tellParameter(act, name, value);
  return act;
}

/** Names the objects in a body; strangers name none. */
export function tellBody(act: Act | undefined, route: Route, body: RestBody): void {
  if (!act || route.auth === 'none') return;
  const json = body.kind === 'json' && isRecord(body.json) ? body.json : {};
  const fields = body.kind === 'form' ? body.form : Object.entries(json);
  for (const [name, value] of fields) tellParameter(act, name, value);
}

function tellParameter(act: Act, name: string, value: unknown): void {
  const typename = typenames[name.toLowerCase()];
  if (act.objects.length >= MOST_NAMED) return;
  if (typename !== undefined && typeof value === 'string') tellObject({ act }, typename, value);
}
