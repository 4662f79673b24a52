import {
  getOperationAST,
  OperationTypeNode,
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
} from 'graphql';
import type { Context } from '../../../core/context/context.ts';

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
type AroundExecution = (event: {
  args: ExecutionArgs;
  executeFn: Execute;
  setExecuteFn: (execute: Execute) => void;
  setResultAndStopExecution: (result: unknown) => void;
}) => { onExecuteDone?: AfterExecution } | undefined;

/** What `answer` finds out where Yoga has to answer. */
const left = Symbol('left to Yoga');
const leave: Execute = () => left;

/**
 * Answers queries whose text came before and was parsed, validated and compiled then. Of Yoga's pipeline, which costs
 * more than anything else that such a query needs of this process, only the hooks around the execution run: what they
 * decide depends on the variables and on the caller. Whatever is unusual, such as a refusal, an error or another member
 * of the request, is left to Yoga, which then answers from the beginning; that is safe because queries only read.
 */
export class RepeatedQueries {
  readonly #schema: GraphQLSchema;
  readonly #documents = new Map<string, DocumentNode>();
  readonly #trustedText: TrustedText | undefined;
  #hooks: readonly AroundExecution[] = [];

  constructor(schema: GraphQLSchema, trustedText: TrustedText | undefined) {
    this.#schema = schema;
    this.#trustedText = trustedText;
  }

  /** The plugins of the pipeline. Their other hooks may depend on nothing but the document. */
  runHooksOf(plugins: readonly { onExecute?: unknown }[]): void {
    this.#hooks = plugins.flatMap(
      ({ onExecute }) => (onExecute as AroundExecution | undefined) ?? [],
    );
  }

  /** Remembers a document that was validated and whose query is compiled. */
  remember(text: string, document: DocumentNode): void {
    if (this.#documents.has(text)) return;
    this.#documents.set(text, document);
    const [oldest] = this.#documents.keys();
    if (this.#documents.size > MOST && oldest !== undefined) this.#documents.delete(oldest);
  }

  /** The text of the reply, whose status is 200; undefined if Yoga has to answer. */
  async answer(asked: unknown, context: Context): Promise<string | undefined> {
    if (!isAsked(asked, this.#trustedText ? MEMBERS_WITH_TRUSTED : MEMBERS)) return undefined;
    const query = asked.query ?? this.#trustedText?.(asked);
    const document = query === undefined ? undefined : this.#documents.get(query);
    if (
      !document ||
      getOperationAST(document, asked.operationName)?.operation !== OperationTypeNode.QUERY
    )
      return undefined;
    const args: ExecutionArgs = {
      schema: this.#schema,
      document,
      contextValue: context,
      variableValues: asked.variables ?? null,
      operationName: asked.operationName ?? null,
    };
    let execute = leave;
    const setExecuteFn = (chosen: Execute): void => void (execute = chosen);
    let stopped = false;
    const setResultAndStopExecution = (): void => void (stopped = true);
    const done: AfterExecution[] = [];
    for (const hook of this.#hooks) {
      const after = hook({ args, executeFn: leave, setExecuteFn, setResultAndStopExecution });
      if (stopped) return undefined;
      if (after?.onExecuteDone) done.push(after.onExecuteDone);
    }
    let result = await execute(args);
    // An answer that a hook replaces is refused: with a status, which Yoga gives.
    const setResult = (): void => void (result = left);
    if (result !== left) for (const after of done) after({ args, result, setResult });
    if (result === left) {
      context.fragments?.clear();
      return undefined;
    }
    return JSON.stringify(result);
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
