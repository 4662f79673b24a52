import {
  getNamedType,
  getOperationAST,
  isAbstractType,
  isObjectType,
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../../core/context/context.ts';
import { isWritable } from '../../../task-execution/feeds/write-selected-feeds.ts';
import { WRITTEN, writtenFields, writtenSchema } from './written-schema.ts';

type Run = (
  root: unknown,
  context: unknown,
  variables: Readonly<Record<string, unknown>>,
) => unknown;

/** An operation that came before: compiled when it comes again, one way for any transport, and one for those that take written rows. */
interface Known {
  fit: Fit | undefined;
  plain?: Run | 'unfit';
  written?: Run | 'unfit';
}

/**
 * Compiles a query when it comes for the second time, and runs it compiled from then on: the same hooks, resolvers and bytes, at a fraction of the
 * cost for each field. Compiled per document, operation name and schema. What graphql-jit does not do as graphql-js does goes the ordinary way: see fitOf.
 * An operation that ended with errors, those of its variables among them, runs again the ordinary way (it only reads), so that errors are the same.
 */
export function useCompiledQueries(): Plugin<Context> {
  const documents = new WeakMap<DocumentNode, Map<string, Known>>();
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const { document, schema, operationName, contextValue } = args as ExecutionArgs & {
        contextValue: Context;
      };
      const name = operationName ?? '';
      const operations = documents.get(document) ?? new Map<string, Known>();
      documents.set(document, operations);
      const operation = getOperationAST(document, name === '' ? undefined : name);
      const known = operations.get(name);
      if (!known || !operation) {
        operations.set(name, { fit: operation ? fitOf(schema, document, operation) : undefined });
        return;
      }
      if (!known.fit) return;
      const { pieces } = contextValue;
      const run =
        pieces && known.fit.writes
          ? (known.written ??= compile(writtenSchema, document, operation))
          : (known.plain ??= compile(schema, document, operation));
      if (run === 'unfit') return;
      setExecuteFn((given: ExecutionArgs): unknown => {
        const again = (): unknown => {
          pieces?.clear();
          return executeFn(given);
        };
        const check = (result: unknown): unknown => (hasErrors(result) ? again() : result);
        try {
          const result = run(given.rootValue, given.contextValue, given.variableValues ?? {});
          return result instanceof Promise ? result.then(check, again) : check(result);
        } catch {
          return again();
        }
      });
    },
  };
}

function hasErrors(result: unknown): boolean {
  return (
    typeof result === 'object' &&
    result !== null &&
    'errors' in result &&
    Array.isArray(result.errors) &&
    result.errors.length > 0
  );
}

function compile(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Run | 'unfit' {
  const compiled = compileQuery(schema, document, operation.name?.value);
  return isCompiledQuery(compiled) ? compiled.query : 'unfit';
}

interface Fit {
  /** It lists feeds, and all that it lists can be written. */
  writes: boolean;
}

/**
 * Only queries whose fields are all of object types and leaves, without directives and introspection: unions and interfaces, @include and @skip are where graphql-jit and
 * graphql-js are known to differ. Undefined for others.
 */
function fitOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Fit | undefined {
  if (operation.operation !== OperationTypeNode.QUERY || operation.directives?.length)
    return undefined;
  const fragments = Object.fromEntries(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION
        ? [[definition.name.value, definition] as const]
        : [],
    ),
  );
  const lists: boolean[] = [];
  const fits = (set: SelectionSetNode, typeName: string): boolean =>
    set.selections.every((selection) => {
      if (selection.directives?.length) return false;
      if (selection.kind === Kind.INLINE_FRAGMENT)
        return (
          (selection.typeCondition?.name.value ?? typeName) === typeName &&
          fits(selection.selectionSet, typeName)
        );
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments[selection.name.value];
        return (
          fragment?.typeCondition.name.value === typeName &&
          !fragment.directives?.length &&
          fits(fragment.selectionSet, typeName)
        );
      }
      if (selection.name.value === '__typename') return true;
      const type = schema.getType(typeName);
      const field = isObjectType(type) ? type.getFields()[selection.name.value] : undefined;
      if (!field) return false;
      const named = getNamedType(field.type);
      if (
        isAbstractType(named) ||
        (selection.selectionSet && !fits(selection.selectionSet, named.name))
      )
        return false;
      const list =
        typeName === WRITTEN && selection.selectionSet
          ? writtenFields.find((name) => name === field.name)
          : undefined;
      if (list && selection.selectionSet)
        lists.push(isWritable(list, selection.selectionSet, { schema, fragments }));
      return true;
    });
  const root = schema.getQueryType();
  return root != null && fits(operation.selectionSet, root.name)
    ? { writes: lists.length > 0 && lists.every(Boolean) }
    : undefined;
}
