import { getOperationAST, OperationTypeNode, type ExecutionArgs } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../core/context/context.ts';
import { stoppedReads } from '../../core/context/stopped-reads.ts';

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
