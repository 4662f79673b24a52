import { Readable } from 'node:stream';
import {
  BREAK,
  getOperationAST,
  Kind,
  OperationTypeNode,
  visit,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
} from 'graphql';
import type { Plugin, YogaServerInstance } from 'graphql-yoga';
import type { Context } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import { isRecord } from '../../core/json-values.ts';
import { FewOfEach } from '../../core/turns/few-of-each.ts';
import type { Reply } from '../../core/rest/route.ts';
import { countSent, LARGE } from '../http/answers-sent.ts';
import { refusal } from './limits/refusal.ts';

// The rows of a whole list as JSON Lines (F263): the pages of a query's connection one after the other, a row per line.

/** Lists that a user may be sent by one gateway at once. */
const MOST_OF_USER = 4;

/** The context of an operation whose answer is sent as lines. */
type LinesContext = Partial<Context> & { asLines: true };

/** Refuses operations that have no next page to ask for, before they run. */
export function refuseWithoutPages(): Plugin {
  const check = ({ args, setResultAndStopExecution }: Executed): void => {
    if (!(args.contextValue as Partial<LinesContext>).asLines) return;
    const operation = getOperationAST(args.document, args.operationName);
    if (operation?.operation !== OperationTypeNode.QUERY || !takesAfter(args.document))
      setResultAndStopExecution({ errors: [refusal(NEEDED, 'BAD_REQUEST')] });
  };
  return { onExecute: check, onSubscribe: check };
}

interface Executed {
  args: ExecutionArgs;
  setResultAndStopExecution: (result: ExecutionResult) => void;
}

/** Whether a document passes `$after` to a field. */
function takesAfter(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Argument({ name, value }) {
      if (name.value !== 'after' || value.kind !== Kind.VARIABLE || value.name.value !== 'after')
        return undefined;
      found = true;
      return BREAK;
    },
  });
  return found;
}

const NEEDED =
  'As application/jsonl, a query is answered that passes $after to one connection, and selects its pageInfo { hasNextPage endCursor } and its edges or nodes';

/** Where a walk gets its contexts from. */
interface Caller {
  /** A context for one page, after the session was checked once more. */
  contextOf: () => Promise<Context>;
  /** Called after each page: its context may have taken a turn. */
  endTurn: () => void;
  /** Called when the first page is there: the rest takes as long as its client does. */
  untimed: () => void;
}

/** Answers requests with lines. */
export type AnswerLines = (body: string, caller: Caller) => Promise<Reply>;

/**
 * Answers a query with the rows of its connection from `$after` to the end: what `edges` or else `nodes` select, each a
 * line; X-Total-Count is the `totalCount`, where it is selected. A page is read when the client has taken what came
 * before. A request whose first page fails gets an ordinary answer; when a later one does, the reply breaks off, and
 * whoever sends the request again, with the last cursor as `$after`, learns why.
 */
export function createLines(
  yoga: YogaServerInstance<Partial<Context>, Partial<Context>>,
): AnswerLines {
  const open = new FewOfEach(MOST_OF_USER, 'reading {count} lists');
  const url = `http://localhost${yoga.graphqlEndpoint}`;
  const headers = {
    'content-type': 'application/json',
    accept: 'application/graphql-response+json',
  };

  return async (body, { contextOf, endTurn, untimed }) => {
    let user: number | string = '';
    let response: Context['res'];
    const answer = async (text: string): Promise<Answer> => {
      try {
        const context = await contextOf();
        const { viewer, customer } = context;
        response = context.res;
        user = viewer?.userId ?? `${customer?.domainId} ${customer?.customerId}`;
        // A page is not sent in the reply by itself.
        const asked: LinesContext = { ...context, res: undefined, asLines: true };
        const answered = await yoga.fetch(url, { method: 'POST', headers, body: text }, asked);
        const { status } = answered;
        return {
          status,
          headers: Object.fromEntries(answered.headers),
          body: await answered.text(),
        };
      } finally {
        endTurn();
      }
    };
    const first = await answer(body);
    const result: unknown = JSON.parse(first.body);
    // A client that stores lines looks at the status only.
    if (!isRecord(result) || result['errors'] !== undefined)
      return { ...first, status: first.status === 200 ? 400 : first.status };
    const page = readPage(result['data']);
    if (!page)
      throw new AppError('E900', { status: 400, message: NEEDED, graphqlCode: 'BAD_REQUEST' });
    const request = JSON.parse(body) as { variables?: object | null };
    const left = open.take(user);
    untimed();
    const next = async (after: string): Promise<Page> => {
      const answered = await answer(
        JSON.stringify({ ...request, variables: { ...request.variables, after } }),
      );
      const { data, errors } = JSON.parse(answered.body) as { data?: unknown; errors?: unknown };
      const found = errors === undefined ? readPage(data) : undefined;
      if (!found || found.next === after)
        throw new AppError('E900', { message: 'A page of a list could not be read' });
      return found;
    };
    const isSent = (): boolean => !response || response.writableFinished || response.destroyed;
    return {
      status: 200,
      headers: {
        'content-type': 'application/jsonl; charset=utf-8',
        'x-accel-buffering': 'no',
        ...(page.total !== undefined && { 'x-total-count': String(page.total) }),
      },
      body: Readable.from(walk(page, next, isSent), { objectMode: false }).once('close', left),
    };
  };
}

type Answer = Reply & { body: string };

interface Page {
  /** Its rows as JSON, each with the end of its line. */
  lines: string;
  /** The cursor after which the next page begins; undefined on the last page. */
  next: string | undefined;
  /** `totalCount`, where it is selected. */
  total: number | undefined;
}

/** The pages from this one on. Large ones count until they are sent. */
async function* walk(
  page: Page,
  read: (after: string) => Promise<Page>,
  isSent: () => boolean,
): AsyncGenerator<string> {
  for (let before = { sent: false }; ; page = await read(page.next)) {
    const sending = { sent: false };
    const bytes = Buffer.byteLength(page.lines);
    if (bytes > LARGE) countSent(bytes, () => sending.sent || isSent());
    yield page.lines;
    // A stream asks for more when it has handed on what it had, and that which was before is sent.
    before.sent = true;
    before = sending;
    if (page.next === undefined) return;
  }
}

/** The page in an answer: its one connection that is not below a list. */
function readPage(data: unknown): Page | undefined {
  const found = connectionsIn(data);
  const [connection] = found;
  if (found.length !== 1 || !connection) return undefined;
  const { pageInfo, edges, nodes, totalCount } = connection;
  const rows = edges ?? nodes;
  if (!isRecord(pageInfo) || !Array.isArray(rows)) return undefined;
  const { hasNextPage, endCursor } = pageInfo;
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const total = typeof totalCount === 'number' ? totalCount : undefined;
  if (hasNextPage === false) return { lines, next: undefined, total };
  return hasNextPage === true && typeof endCursor === 'string'
    ? { lines, next: endCursor, total }
    : undefined;
}

function connectionsIn(value: unknown): Record<string, unknown>[] {
  if (!isRecord(value)) return [];
  if (isRecord(value['pageInfo'])) return [value];
  return Object.values(value).flatMap(connectionsIn);
}
