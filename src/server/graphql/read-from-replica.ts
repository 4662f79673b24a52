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

/** Reads queries on the replica, where there is one, and notes mutations, as REST does. Subscriptions read on the primary, as the change log's snapshots are those of the primary. */
export function useReplica(): Plugin<Context> {
  return {
    onExecute({ args }) {
      const { schema, document, operationName, contextValue } = args as ExecutionArgs & {
        contextValue: Context;
      };
      const { replica, viewer } = contextValue;
      const operation = getOperationAST(document, operationName)?.operation;
      if (!replica || operation === undefined || operation === OperationTypeNode.SUBSCRIPTION)
        return undefined;
      if (operation === OperationTypeNode.QUERY) {
        if (!readsPrimary(schema, document))
          Object.assign(contextValue, { reads: replica.readsFor(viewer) });
        return undefined;
      }
      return { onExecuteDone: () => replica.noteWrite(viewer) };
    },
  };
}

const primaryFields = new WeakMap<GraphQLSchema, ReadonlySet<string>>();
const onPrimary = new WeakMap<DocumentNode, boolean>();

/** Does a document select a field that says of itself, as an extension, that it reads on the primary? What it stands beside then comes from there too. */
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
