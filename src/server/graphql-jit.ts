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
import { getVariableValues } from 'graphql/execution/values.js';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../core/context.ts';

type Run = (root: unknown, context: unknown, variables: Readonly<Record<string, unknown>>) => unknown;

/**
 * Compiles a query when it comes for the second time, and runs it compiled from then on: the same hooks, resolvers and bytes, at a fraction of the
 * cost for each field. Compiled per document, operation name and schema. What graphql-jit does not do as graphql-js does goes the ordinary way: see isFit.
 * So does an operation whose variables are refused, and one that ended with errors runs again the ordinary way (it only reads), so that errors are the same.
 */
export function useCompiledQueries(): Plugin<Context> {
  const documents = new WeakMap<DocumentNode, Map<string, Run | 'once' | 'unfit'>>();
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const { document, schema, operationName } = args as ExecutionArgs;
      const name = operationName ?? '';
      const operations = documents.get(document) ?? new Map<string, Run | 'once' | 'unfit'>();
      documents.set(document, operations);
      let known = operations.get(name);
      if (known === undefined) {
        operations.set(name, 'once');
        return;
      }
      const operation = getOperationAST(document, name === '' ? undefined : name);
      if (known === 'once') operations.set(name, (known = operation ? compile(schema, document, operation) : 'unfit'));
      if (known === 'unfit' || !operation) return;
      const run = known;
      setExecuteFn((given: ExecutionArgs): unknown => {
        const variables = given.variableValues ?? {};
        const refused = operation.variableDefinitions?.length ? getVariableValues(schema, operation.variableDefinitions, variables).errors : undefined;
        if (refused) return executeFn(given);
        const again = (): unknown => executeFn(given);
        const check = (result: unknown): unknown => (hasErrors(result) ? again() : result);
        try {
          const result = run(given.rootValue, given.contextValue, variables);
          return result instanceof Promise ? result.then(check, again) : check(result);
        } catch {
          return again();
        }
      });
    },
  };
}

function hasErrors(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'errors' in result && Array.isArray(result.errors) && result.errors.length > 0;
}

function compile(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): Run | 'unfit' {
  if (!isFit(schema, document, operation)) return 'unfit';
  const compiled = compileQuery(schema, document, operation.name?.value);
  return isCompiledQuery(compiled) ? compiled.query : 'unfit';
}

/**
 * Only queries whose fields are all of object types and leaves, without directives and introspection: unions and interfaces, @include and @skip are where graphql-jit and
 * graphql-js are known to differ.
 */
function isFit(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): boolean {
  if (operation.operation !== OperationTypeNode.QUERY || operation.directives?.length) return false;
  const fragments = new Map(document.definitions.flatMap((definition) => (definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [])));
  const fits = (set: SelectionSetNode, typeName: string): boolean =>
    set.selections.every((selection) => {
      if (selection.directives?.length) return false;
      if (selection.kind === Kind.INLINE_FRAGMENT) return (selection.typeCondition?.name.value ?? typeName) === typeName && fits(selection.selectionSet, typeName);
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(selection.name.value);
        return fragment?.typeCondition.name.value === typeName && !fragment.directives?.length && fits(fragment.selectionSet, typeName);
      }
      if (selection.name.value === '__typename') return true;
      const type = schema.getType(typeName);
      const field = isObjectType(type) ? type.getFields()[selection.name.value] : undefined;
      if (!field) return false;
      const named = getNamedType(field.type);
      return !isAbstractType(named) && (!selection.selectionSet || fits(selection.selectionSet, named.name));
    });
  const root = schema.getQueryType();
  return root != null && fits(operation.selectionSet, root.name);
}
