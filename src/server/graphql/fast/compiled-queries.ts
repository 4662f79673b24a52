import {
  getOperationAST,
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import type { Context } from '../../../core/context/context.ts';
import { fitForCompiling, type Fit } from './fit-for-compiling.ts';
import { hasListForObject } from './list-for-object.ts';
import { preserialisedSchema } from './preserialised-schema.ts';
import type { RepeatedQueries } from './repeated-queries.ts';

type Run = (
  root: unknown,
  context: unknown,
  variables: Readonly<Record<string, unknown>>,
) => unknown;

/**
 * An operation that has been seen before. When it comes again, it is compiled: once for any transport, and once for
 * transports that support fragments.
 */
interface Known {
  fit: Fit | undefined;
  plain?: Run | 'unfit';
  preserialised?: Run | 'unfit';
}

/**
 * Compiles a query when it comes for the second time, and runs the compiled version from then on: the same hooks,
 * resolvers and bytes, at a fraction of the cost per field. Compiled per document, operation name and schema; then `repeated` answers it. Queries
 * that graphql-jit would answer differently are left to graphql-js: see fitForCompiling. If an operation ends with
 * errors, including those of its variables, graphql-js runs it again (it only reads), so that errors are the same.
 */
export function useCompiledQueries(repeated: RepeatedQueries): Plugin<Context> {
  const documents = new WeakMap<DocumentNode, Map<string, Known>>();
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const { document, schema, operationName, contextValue } = args as ExecutionArgs & {
        /** `params` is added by Yoga. */
        contextValue: Context & { params?: GraphQLParams };
      };
      const name = operationName ?? '';
      const operations = documents.get(document) ?? new Map<string, Known>();
      documents.set(document, operations);
      const operation = getOperationAST(document, name === '' ? undefined : name);
      const known = operations.get(name);
      if (!known || !operation) {
        operations.set(name, {
          fit: operation ? fitForCompiling(schema, document, operation) : undefined,
        });
        return;
      }
      if (!known.fit) return;
      const { fragments } = contextValue;
      const run =
        fragments && known.fit.preserialises
          ? (known.preserialised ??= compile(preserialisedSchema(schema), document, operation))
          : (known.plain ??= compile(schema, document, operation));
      if (run === 'unfit') return;
      const { params } = contextValue;
      if (typeof params?.query === 'string') repeated.remember(params.query, document);
      setExecuteFn((given: ExecutionArgs): unknown => {
        const variables = given.variableValues ?? {};
        if (hasListForObject(schema, operation, variables)) return executeFn(given);
        const again = (): unknown => {
          fragments?.clear();
          return executeFn(given);
        };
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
