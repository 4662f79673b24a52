import { getOperationAST, type DocumentNode, type GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import { isRecord } from '../../core/json-values.ts';
import type { Outcome, Telemetry, Trace } from '../../core/context/telemetry.ts';
import { nameOperation } from './name-operation.ts';
import { isDocument } from './is-document.ts';

/** Longest operation name of a client that is logged. */
const NAME_LENGTH = 64;

/**
 * Records which operation a request runs; outside production, or when traces are sent, also how long parsing,
 * validating and executing take.
 */
export function observeOperations(telemetry: Telemetry): Plugin<Context> {
  const names = new WeakMap<DocumentNode, Map<string, Pick<Trace, 'operation' | 'clientName'>>>();
  const note = (args: {
    document?: unknown;
    operationName?: unknown;
    contextValue?: unknown;
  }): Trace | undefined => {
    const trace = traceOf(args.contextValue);
    if (!trace || !isDocument(args.document)) return undefined;
    const known =
      names.get(args.document) ?? new Map<string, Pick<Trace, 'operation' | 'clientName'>>();
    names.set(args.document, known);
    const key = typeof args.operationName === 'string' ? args.operationName : '';
    let name = known.get(key);
    if (!name) {
      const operation = getOperationAST(args.document, key === '' ? undefined : key);
      if (!operation) return trace;
      name = {
        operation: nameOperation(args.document, operation),
        clientName: operation.name?.value.slice(0, NAME_LENGTH),
      };
      known.set(key, name);
    }
    trace.operation = name.operation;
    trace.clientName = name.clientName;
    return trace;
  };
  const plugin: Plugin<Context> = {
    onExecute({ args }) {
      const trace = note(args);
      return trace && telemetry.phases ? { onExecuteDone: since(trace, 'execute') } : undefined;
    },
    onSubscribe({ args }) {
      note(args);
    },
  };
  if (!telemetry.phases) return plugin;
  return {
    ...plugin,
    onParse: ({ context }) => since(traceOf(context), 'parse'),
    onValidate: ({ context }) => since(traceOf(context), 'validate'),
  };
}

/** The outcome of an operation with these errors: failed if one of them is not the caller's fault. */
export function outcomeOf(errors: readonly GraphQLError[]): Outcome {
  return errors.some(
    ({ originalError }) =>
      originalError && (!(originalError instanceof AppError) || originalError.code === 'E302'),
  )
    ? 'failed'
    : 'refused';
}

/** Starts a phase, and returns the function that ends it. */
function since(trace: Trace | undefined, name: string): () => void {
  const startedAt = performance.now();
  return () => {
    trace?.phases.push({ name, ms: performance.now() - startedAt });
    trace?.span?.part(name === 'execute' ? trace.operation : name, { kind: 'internal', startedAt });
  };
}

function traceOf(context: unknown): Trace | undefined {
  return isRecord(context) ? (context as Partial<Context>).trace : undefined;
}
