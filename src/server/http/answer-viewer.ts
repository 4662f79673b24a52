import {
  getOperationAST,
  GraphQLError,
  OperationTypeNode,
  type ExecutionArgs,
  type ExecutionResult,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../core/context/context.ts';
import type { Viewer } from '../../core/context/viewer.ts';

/**
 * Does for a viewer what only reads. Begins at once as who the session was when it was last seen (`recalled`), while the database is asked who it is: so that both go there
 * together. What it found is thrown away, and found anew, unless the session is still just that.
 */
export async function answerViewer<T>(
  identified: Promise<Viewer | null>,
  recalled: Viewer | undefined,
  work: (viewer: Viewer | null) => Promise<T>,
): Promise<T> {
  if (!recalled) return work(await identified);
  const [viewer, early] = await Promise.allSettled([identified, work(recalled)]);
  if (viewer.status === 'rejected') throw viewer.reason;
  if (viewer.value !== recalled) return work(viewer.value);
  if (early.status === 'rejected') throw early.reason;
  return early.value;
}

/** Begins an operation that does more than read only for a viewer who is identified. For one who was recalled and is another by now it does not run, and answerViewer asks again. */
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
