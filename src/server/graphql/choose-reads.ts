import {
  BREAK,
  getOperationAST,
  isObjectType,
  OperationTypeNode,
  visit,
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../core/context/context.ts';
import { stoppedReads } from '../../core/context/stopped-reads.ts';
import type { Replica } from '../../core/database/replica.ts';
import { schema } from './schema/schema.ts';
import { isDocument } from './is-document.ts';

/**
 * Completes the context of a query while Yoga builds it, after parsing: reads use the replica, if there is one, and stop
 * when nobody waits for the reply any more. Mutations run to the end, because half of one is worse than all of it, and
 * are recorded as writes, as in REST. Subscriptions read on the primary, because the snapshots of the change log are
 * those of the primary.
 */
export function useChosenReads(replica: Replica | undefined): Plugin<Context> {
  const documents = new WeakMap<object, DocumentNode>();
  return {
    onParse:
      () =>
      ({ context, result }) => {
        if (isDocument(result)) documents.set(context, result);
      },
    onContextBuilding({ context, extendContext }) {
      const document = documents.get(context);
      if (!document || typeOf(document, context.params.operationName) !== OperationTypeNode.QUERY)
        return;
      const reads =
        replica && !readsPrimary(schema, document)
          ? replica.readsFor(context.viewer)
          : context.reads;
      const { db, signal } = context;
      extendContext({ reads, ...stoppedReads({ db, reads, signal }) });
    },
    ...(replica && {
      onExecute({ args }) {
        const { document, operationName, contextValue } = args as ExecutionArgs & {
          contextValue: Context;
        };
        if (typeOf(document, operationName) !== OperationTypeNode.MUTATION) return undefined;
        const { viewer } = contextValue;
        return { onExecuteDone: () => replica.noteWrite(viewer) };
      },
    }),
  };
}

function typeOf(
  document: DocumentNode,
  operationName: string | null | undefined,
): OperationTypeNode | undefined {
  return getOperationAST(document, operationName)?.operation;
}

const primaryFields = new WeakMap<GraphQLSchema, ReadonlySet<string>>();
const onPrimary = new WeakMap<DocumentNode, boolean>();

/**
 * Does a document select a field that declares, as an extension, that it must be read from the primary? The whole
 * operation then uses the primary.
 */
function readsPrimary(schema: GraphQLSchema, document: DocumentNode): boolean {
  let fields = primaryFields.get(schema);
  if (!fields) primaryFields.set(schema, (fields = namesOf(schema)));
  let found = onPrimary.get(document);
  if (found === undefined) {
    found = false;
    visit(document, {
      Field: ({ name }) => {
        if (!fields.has(name.value)) return undefined;
        found = true;
        return BREAK;
      },
    });
    onPrimary.set(document, found);
  }
  return found;
}

function namesOf(schema: GraphQLSchema): ReadonlySet<string> {
  return new Set(
    Object.values(schema.getTypeMap())
      .filter(isObjectType)
      .flatMap((type) => Object.values(type.getFields()))
      .filter(({ extensions }) => extensions['readsPrimary'] === true)
      .map(({ name }) => name),
  );
}
