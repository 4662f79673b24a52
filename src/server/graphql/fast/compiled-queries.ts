import {
  getOperationAST,
  OperationTypeNode,
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import type { Context } from '../../../core/context/context.ts';
import { isRecord } from '../../../core/json-values.ts';
import type { JsonFragments } from '../../../core/json/json.ts';
import { conditionsOf, valuesOf, withoutConditions, type Conditions } from './conditions.ts';
import { fitForCompiling, type Fit } from './fit-for-compiling.ts';
import { hasListForObject } from './list-for-object.ts';
import { preserialisedSchema } from './preserialised-schema.ts';
import type { RepeatedOperations } from './repeated-operations.ts';

type Run = (
  root: unknown,
  context: unknown,
  variables: Readonly<Record<string, unknown>>,
) => unknown;

/** A document that has been seen before. */
interface KnownDocument {
  conditions: Conditions | undefined;
  /** By the values of the conditions and the name. */
  operations: Map<string, Known>;
}

/**
 * An operation that has been seen before, with these values of its conditions. When it comes again, it is compiled: once
 * for any transport, and once for transports that support fragments.
 */
interface Known {
  /** The document without conditions. */
  document: DocumentNode;
  operation: OperationDefinitionNode;
  fit: Fit | undefined;
  plain?: Run | 'unfit';
  preserialised?: Run | 'unfit';
}

/** Executes a compiled operation; in its place where it ends with errors: `otherwise`. */
type Execute = (given: ExecutionArgs, otherwise: (given: ExecutionArgs) => unknown) => unknown;

/**
 * Compiles a query, or what a subscription selects of each event, when it comes for the second time: the same resolvers
 * and bytes, at a fraction of the cost per field. Compiled per document, operation name, values of @skip and @include,
 * and schema. Operations that graphql-jit would answer differently are left to graphql-js: see fitForCompiling. If one
 * ends with errors, including those of its variables, graphql-js runs it again (it only reads), so that errors are the
 * same.
 */
export class CompiledQueries {
  readonly #documents = new WeakMap<DocumentNode, KnownDocument>();

  /** The operation as it was compiled; undefined for the first time, or if it is left to graphql-js. */
  find(args: ExecutionArgs, fragments?: JsonFragments): Execute | undefined {
    const { document, schema, operationName, variableValues } = args;
    const operation = getOperationAST(document, operationName || undefined);
    if (!operation) return undefined;
    let known = this.#documents.get(document);
    if (!known)
      this.#documents.set(
        document,
        (known = { conditions: conditionsOf(document), operations: new Map() }),
      );
    const { conditions, operations } = known;
    const values = conditions && valuesOf(conditions, operation, variableValues ?? {});
    if (!conditions || values === undefined) return undefined;
    const key = `${values}${operation.name?.value ?? ''}`;
    const found = operations.get(key);
    if (!found) {
      operations.set(key, know(schema, document, operation, { conditions, values }));
      return undefined;
    }
    if (!found.fit) return undefined;
    const run =
      fragments && found.fit.preserialises
        ? (found.preserialised ??= compile(preserialisedSchema(schema), found))
        : (found.plain ??= compile(schema, found));
    if (run === 'unfit') return undefined;
    return (given, otherwise) => {
      const variables = given.variableValues ?? {};
      if (hasListForObject(schema, operation, variables)) return otherwise(given);
      const again = (): unknown => {
        fragments?.clear();
        return otherwise(given);
      };
      const check = (result: unknown): unknown => (hasErrors(result) ? again() : result);
      try {
        const result = run(given.rootValue, given.contextValue, variables);
        return result instanceof Promise ? result.then(check, again) : check(result);
      } catch {
        return again();
      }
    };
  }
}

/** Runs queries compiled; those, and mutations that came before, are then answered by `repeated`. */
export function useCompiledQueries(
  compiled: CompiledQueries,
  repeated: RepeatedOperations,
): Plugin<Context> {
  /** Documents with mutations. */
  const seen = new WeakSet<DocumentNode>();
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const given = args as ExecutionArgs & {
        /** `params` is added by Yoga. */
        contextValue: Context & { params?: GraphQLParams };
      };
      const { document, operationName, contextValue } = given;
      const execute = compiled.find(given, contextValue.fragments);
      const text = contextValue.params?.query;
      if (typeof text === 'string' && (execute || seen.has(document)))
        repeated.remember(text, { document, execute: executeFn });
      if (execute) setExecuteFn((chosen: ExecutionArgs): unknown => execute(chosen, executeFn));
      else if (getOperationAST(document, operationName)?.operation === OperationTypeNode.MUTATION)
        seen.add(document);
    },
  };
}

function hasErrors(result: unknown): boolean {
  const errors = isRecord(result) ? result['errors'] : undefined;
  return Array.isArray(errors) && errors.length > 0;
}

function know(
  schema: GraphQLSchema,
  whole: DocumentNode,
  asked: OperationDefinitionNode,
  { conditions, values }: { conditions: Conditions; values: string },
): Known {
  const document = conditions.any ? withoutConditions(whole, conditions, values) : whole;
  const operation = getOperationAST(document, asked.name?.value) ?? asked;
  return { document, operation, fit: fitForCompiling(schema, document, operation) };
}

function compile(schema: GraphQLSchema, { document, operation }: Known): Run | 'unfit' {
  const compiled = compileQuery(schema, document, operation.name?.value);
  return isCompiledQuery(compiled) ? compiled.query : 'unfit';
}
