import { getOperationAST, OperationTypeNode, type ExecutionArgs } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../core/context/context.ts';
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

/** The same for operations: queries read on the replica, mutations are noted. Subscriptions read on the primary, as the change log's snapshots are those of the primary. */
export function useReplica(): Plugin<Context> {
  return {
    onExecute({ args }) {
      const { document, operationName, contextValue } = args as ExecutionArgs & {
        contextValue: Context;
      };
      const { replica, viewer } = contextValue;
      const operation = getOperationAST(document, operationName)?.operation;
      if (!replica || operation === undefined || operation === OperationTypeNode.SUBSCRIPTION)
        return undefined;
      if (operation === OperationTypeNode.QUERY) {
        contextValue.reads = replica.readsFor(viewer);
        return undefined;
      }
      return { onExecuteDone: () => replica.noteWrite(viewer) };
    },
  };
}
