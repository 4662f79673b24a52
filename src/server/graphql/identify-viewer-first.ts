import {
  getOperationAST,
  GraphQLError,
  OperationTypeNode,
  type ExecutionArgs,
  type ExecutionResult,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../core/context/context.ts';

/**
 * Lets an operation that does more than read wait until the viewer is identified. If the cached viewer turns out to be
 * outdated, it does not run, and answerViewer starts again.
 */
export function useIdentifiedViewer(): Plugin<Context> {
  const refusal = { errors: [new GraphQLError('The session has changed')] };
  const identify = async (
    { viewer, identified }: Context,
    refuse: (result: ExecutionResult) => void,
  ): Promise<void> => {
    if (identified && (await identified) !== viewer) refuse(refusal);
  };
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const { document, operationName, contextValue } = args as ExecutionArgs & {
        contextValue: Context;
      };
      return getOperationAST(document, operationName)?.operation === OperationTypeNode.QUERY
        ? undefined
        : identify(contextValue, setResultAndStopExecution);
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      return identify(args.contextValue, setResultAndStopExecution);
    },
  };
}
