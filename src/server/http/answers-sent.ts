import type { ServerResponse } from 'node:http';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Context } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import type { Reply } from '../../core/rest/route.ts';
import { ReadingSignal, type Signal } from '../../core/signal.ts';

/** Answers from this size on count until their clients have taken them; while those have much memory, more is refused. */
export const LARGE = 1024 * 1024;
/** Many rows: what has more is refused while memory is short, as is a larger answer. In bytes. */
const MANY = 8 * 1024 * 1024;
/**
 * The part of the heap's limit beyond which memory is short, with the answers that are being sent; and the part that
 * these may have.
 */
const FULL = { all: 0.5, sent: 0.25 };
/** The heap's limit, in bytes. */
const MOST = getHeapStatistics().heap_size_limit;

interface Answer {
  bytes: number;
  isTaken: () => boolean;
  /** Where it is being made: how it will be sent. */
  for?: ServerResponse;
}

/**
 * Large answers that are being sent, which take memory beside the heap until their clients have taken them; and what has
 * been read for those of REST that are being made.
 */
const sent = new Set<Answer>();

/** Counts an answer until its client has taken it, or is gone. */
export function countSent(bytes: number, isTaken: () => boolean): void {
  sent.add({ bytes, isTaken });
}

/** Counts what waits for the client of a stream, where it is large, until the stream ends. */
export function countWaiting(response: ServerResponse): void {
  sent.add({
    get bytes() {
      return response.writableLength > LARGE ? response.writableLength : 0;
    },
    isTaken: () => response.writableFinished || response.destroyed,
  });
}

/** The bytes of answers that are being sent. */
export function bytesSent(): number {
  let sum = 0;
  for (const answer of sent)
    if (answer.isTaken()) sent.delete(answer);
    else sum += answer.bytes;
  return sum;
}

/**
 * Are so many bytes of rows, or of an answer, too many for the memory that is left? Much of the heap may be garbage;
 * what clients have not taken is not.
 */
export function isTooMuch(bytes: number): boolean {
  if (bytes <= LARGE) return false;
  const sent = bytesSent();
  if (sent > FULL.sent * MOST) return true;
  if (bytes <= MANY) return false;
  const used = getHeapStatistics().used_heap_size;
  if (used + sent <= FULL.all * MOST) return false;
  void collectGarbage(used);
  return true;
}

/** Seconds after which who was refused may ask again. */
const RETRY = 5;
/** How far the heap must have grown since garbage was collected, as a part of its limit, to do so again. */
const GROWN = 0.05;
let leftOver = 0;
let collectedAt = -Infinity;

/**
 * Collects garbage before anybody asks again. V8 waits until the old space has grown further, which refused answers do not
 * bring about: they would be refused for as long as nothing else happens.
 */
async function collectGarbage(used: number): Promise<void> {
  const now = performance.now();
  if (now - collectedAt < RETRY * 1000 || used - leftOver < GROWN * MOST) return;
  collectedAt = now;
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (how: object) => Promise<void>;
  await collect({ type: 'major', execution: 'async' });
  leftOver = getHeapStatistics().used_heap_size;
}

/**
 * The signal of a read of REST: it stops with its request, and when memory is short. What was read counts until it is
 * answered.
 */
export function limitReads({ signal, res: response }: Pick<Context, 'signal' | 'res'>): Signal {
  let made: Answer | undefined;
  return new ReadingSignal((read) => {
    if (read <= LARGE) return undefined;
    if (response && !made)
      sent.add((made = { bytes: 0, isTaken: () => isAnswered(response), for: response }));
    if (made) made.bytes = read;
    return bytesSent() > FULL.sent * MOST ? tooMany() : undefined;
  }, signal);
}

const isAnswered = (response: ServerResponse): boolean =>
  response.headersSent || response.destroyed;

/** The refusal of what is large while memory is short. */
export function tooMany(): AppError {
  return new AppError('E900', {
    status: 503,
    message: 'Too many large answers are being made: try again',
    graphqlCode: 'TIMEOUT',
    headers: { 'retry-after': String(RETRY) },
  });
}

/** Counts a reply that is sent as a whole, if it is large. Throws 503 where memory is short and it `mayFail`. */
export function limitReply(
  { body }: Pick<Reply, 'body'>,
  response: ServerResponse,
  mayFail: boolean,
): void {
  const size = typeof body === 'string' || Buffer.isBuffer(body) ? Buffer.byteLength(body) : 0;
  for (const answer of sent) if (answer.for === response) sent.delete(answer);
  if (mayFail && isTooMuch(size)) throw tooMany();
  if (size > LARGE) countSent(size, () => response.writableFinished || response.destroyed);
}
