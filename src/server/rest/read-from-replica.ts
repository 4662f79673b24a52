import { runRoute } from './run-route.ts';

/** Runs a route with the reads of a GET on the replica, where there is one; after any other method the session remembers how far the log had come. */
export const runRouteOnReplica: typeof runRoute = async (ctx, route, request, target) => {
  const { replica, viewer } = ctx;
  if (!replica) return runRoute(ctx, route, request, target);
  if (route.method === 'GET')
    return runRoute({ ...ctx, reads: replica.readsFor(viewer) }, route, request, target);
  const reply = await runRoute(ctx, route, request, target);
  await replica.noteWrite(viewer);
  return reply;
};
