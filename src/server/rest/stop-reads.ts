import { getOperationAST, OperationTypeNode, type ExecutionArgs } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../core/context/context.ts';

/** The capabilities of a request that only reads: when nobody waits for its answer any more it reads nothing further, and the database cancels what it does for it. */
export function stoppedReads({ db, reads, signal }: Context): Partial<Context> {
  return signal
    ? {
        db: db.within(signal),
        reads: {
          behindMs: reads.behindMs,
          rows: (sql, params) => reads.rows(sql, params, signal),
          read: (sql, params) => reads.read(sql, params, signal),
        },
      }
    : {};
}

/** Stops queries. A mutation runs to its end: half of one is worse than all of it. */
export function useStoppedReads(): Plugin<Context> {
  return {
    onExecute({ args }) {
      const { document, operationName, contextValue } = args as ExecutionArgs & {
        contextValue: Context;
      };
      if (getOperationAST(document, operationName)?.operation === OperationTypeNode.QUERY)
        Object.assign(contextValue, stoppedReads(contextValue));
    },
  };
}
