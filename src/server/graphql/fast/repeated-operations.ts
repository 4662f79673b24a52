import {
  getOperationAST,
  OperationTypeNode,
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
} from 'graphql';
import type { Context } from '../../../core/context/context.ts';
import type { AcceptedTypes } from '../../http/accepted-types.ts';
import { LeanResponse, writeResult } from './write-result.ts';

/** Most documents that are remembered, the oldest of which is forgotten first. */
const MOST = 200;

/** The members of a GraphQL request, all of which Yoga accepts as they are. */
interface Asked {
  query?: string;
  /** Names a trusted document instead of `query`, as `extensions` may. */
  documentId?: unknown;
  variables?: Record<string, unknown> | null;
  operationName?: string | null;
  /** What else clients say in them, such as their names, is not read. */
  extensions?: object | null;
}

/** The text of the trusted document that a request names by its digest; undefined if it names none. */
type TrustedText = (asked: Asked) => string | undefined;

type Execute = (args: ExecutionArgs) => unknown;
type AfterExecution = (event: {
  args: ExecutionArgs;
  result: unknown;
  setResult: (result: unknown) => void;
}) => unknown;
type AroundDone = { onExecuteDone?: AfterExecution };
type AroundExecution = (event: {
  args: ExecutionArgs;
  executeFn: Execute;
  setExecuteFn: (execute: Execute) => void;
  setResultAndStopExecution: (result: unknown) => void;
}) => AroundDone | undefined | Promise<AroundDone | undefined>;

type AfterAll = (event: {
  result: unknown;
  context: Context;
  setResult: (result: unknown) => void;
}) => unknown;

/** A document that was parsed and validated. */
interface Known {
  document: DocumentNode;
  /** Executes what is not compiled. */
  execute: Execute;
}

/** What `answer` finds out where Yoga has to answer. */
const left = Symbol('left to Yoga');
const leave: Execute = () => left;

/**
 * Answers queries whose text came before and was parsed, validated and compiled then, and mutations whose text came
 * before. Of Yoga's pipeline, which costs more than anything else that such an operation needs of this process, only the
 * hooks around the execution run: what they decide depends on the variables and on the caller. Whatever is unusual is
 * left to Yoga, which then answers from the beginning: all refusals before the execution and, of queries, which only
 * read, errors too.
 */
export class RepeatedOperations {
  readonly #schema: GraphQLSchema;
  readonly #documents = new Map<string, Known>();
  readonly #trustedText: TrustedText | undefined;
  #hooks: readonly AroundExecution[] = [];
  #lastHooks: readonly AfterAll[] = [];

  constructor(schema: GraphQLSchema, trustedText: TrustedText | undefined) {
    this.#schema = schema;
    this.#trustedText = trustedText;
  }

  /** The plugins of the pipeline. Their other hooks may depend on nothing but the document. */
  runHooksOf(plugins: readonly { onExecute?: unknown; onExecutionResult?: unknown }[]): void {
    this.#hooks = plugins.flatMap(
      ({ onExecute }) => (onExecute as AroundExecution | undefined) ?? [],
    );
    this.#lastHooks = plugins.flatMap(
      ({ onExecutionResult }) => (onExecutionResult as AfterAll | undefined) ?? [],
    );
  }

  /** Remembers a document that was validated, and whose queries are compiled. */
  remember(text: string, known: Known): void {
    if (this.#documents.has(text)) return;
    this.#documents.set(text, known);
    const [oldest] = this.#documents.keys();
    if (this.#documents.size > MOST && oldest !== undefined) this.#documents.delete(oldest);
  }

  /** The reply, of this media type; undefined if Yoga has to answer. */
  async answer(
    asked: unknown,
    context: Context,
    mediaType: NonNullable<AcceptedTypes['result']>,
  ): Promise<LeanResponse | undefined> {
    if (!isAsked(asked, this.#trustedText ? MEMBERS_WITH_TRUSTED : MEMBERS)) return undefined;
    const query = asked.query ?? this.#trustedText?.(asked);
    const known = query === undefined ? undefined : this.#documents.get(query);
    const type = known && getOperationAST(known.document, asked.operationName)?.operation;
    if (!type || type === OperationTypeNode.SUBSCRIPTION) return undefined;
    const reads = type === OperationTypeNode.QUERY;
    const args: ExecutionArgs = {
      schema: this.#schema,
      document: known.document,
      contextValue: context,
      variableValues: asked.variables ?? null,
      operationName: asked.operationName ?? null,
    };
    let execute = reads ? leave : known.execute;
    const setExecuteFn = (chosen: Execute): void => void (execute = chosen);
    let stopped = false;
    const setResultAndStopExecution = (): void => void (stopped = true);
    const done: AfterExecution[] = [];
    for (const hook of this.#hooks) {
      const after = hook({ args, executeFn: execute, setExecuteFn, setResultAndStopExecution });
      const told = after instanceof Promise ? await after : after;
      if (stopped) return undefined;
      if (told?.onExecuteDone) done.push(told.onExecuteDone);
    }
    let result = await execute(args);
    // The answer to a query that a hook replaces is refused: with a status, which Yoga gives.
    const setResult = (other: unknown): void => void (result = reads ? left : other);
    if (result !== left) for (const after of done) after({ args, result, setResult });
    if (result === left) {
      context.fragments?.clear();
      return undefined;
    }
    if (reads) {
      const headers = { 'content-type': `${mediaType}; charset=utf-8` };
      return new LeanResponse(JSON.stringify(result), { status: 200, headers });
    }
    for (const hook of this.#lastHooks) hook({ result, context, setResult });
    return writeResult(result, mediaType);
  }
}

const MEMBERS: ReadonlySet<string> = new Set(['query', 'variables', 'operationName', 'extensions']);
const MEMBERS_WITH_TRUSTED: ReadonlySet<string> = new Set([...MEMBERS, 'documentId']);

function isAsked(asked: unknown, members: ReadonlySet<string>): asked is Asked {
  if (typeof asked !== 'object' || asked === null) return false;
  for (const name in asked) if (!members.has(name)) return false;
  const { query, variables, operationName, extensions } = asked as Record<string, unknown>;
  return (
    (query === undefined || typeof query === 'string') &&
    (variables === undefined || isPlain(variables)) &&
    (extensions === undefined || isPlain(extensions)) &&
    (operationName === undefined || operationName === null || typeof operationName === 'string')
  );
}

/** Is it null or an object? */
function isPlain(value: unknown): boolean {
  return typeof value === 'object' && !Array.isArray(value);
}
