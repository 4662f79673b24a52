import {
  BREAK,
  getOperationAST,
  isObjectType,
  OperationTypeNode,
  visit,
  type DocumentNode,
  type ExecutionArgs,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../core/context/context.ts';
import { stoppedReads } from '../../core/context/stopped-reads.ts';
import type { Replicas } from '../../core/database/replicas/replicas.ts';
import { limitReading } from './limits/answer-size.ts';
import { schema } from './schema/schema.ts';

/**
 * Completes the context of an operation when it is executed. No operation reads more than it may. Reads of a query use
 * the replica, if there is one, and stop when nobody waits for the reply any more. Mutations run to the end, because
 * half of one is worse than all of it, and are recorded as writes, as in REST. Subscriptions read on the primary,
 * because the snapshots of the change log are those of the primary.
 */
export function useChosenReads(replicas: Replicas | undefined): Plugin<Context> {
  return {
    onExecute({ args }) {
      const { document, operationName, contextValue } = args as ExecutionArgs & {
        contextValue: Context;
      };
      const { viewer, db } = contextValue;
      const type = getOperationAST(document, operationName)?.operation;
      if (type === OperationTypeNode.QUERY) {
        const reads =
          replicas && !readsPrimary(document) ? replicas.readsFor(viewer) : contextValue.reads;
        // As Yoga's extendContext does, which comes before the operation is known. A copy would cost as much as parsing.
        const signal = limitReading(contextValue.signal);
        Object.assign(contextValue, { reads, ...stoppedReads({ db, reads, signal }) });
      }
      if (type !== OperationTypeNode.MUTATION) return undefined;
      Object.assign(contextValue, { reads: contextValue.reads.within(limitReading()) });
      if (!replicas) return undefined;
      return { onExecuteDone: () => replicas.noteWrite(viewer) };
    },
  };
}

/** The fields that declare, as an extension, that they must be read from the primary. */
const primaryFields: ReadonlySet<string> = new Set(
  Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()))
    .filter(({ extensions }) => extensions['readsPrimary'] === true)
    .map(({ name }) => name),
);

const onPrimary = new WeakMap<DocumentNode, boolean>();

/** Does a document select a field that must be read from the primary? The whole operation then uses the primary. */
function readsPrimary(document: DocumentNode): boolean {
  let found = onPrimary.get(document);
  if (found === undefined) {
    found = false;
    visit(document, {
      Field: ({ name }) => {
        if (!primaryFields.has(name.value)) return undefined;
        found = true;
        return BREAK;
      },
    });
    onPrimary.set(document, found);
  }
  return found;
}
