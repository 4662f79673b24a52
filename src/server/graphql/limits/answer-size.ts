import type { ServerResponse } from 'node:http';
import { GraphQLError, type ExecutionResult } from 'graphql';
import { AppError } from '../../../core/errors.ts';
import type { JsonFragments } from '../../../core/json/json.ts';
import { ReadingSignal, type Signal } from '../../../core/signal.ts';
import { countSent, isTooMuch, LARGE, tooMany } from '../../http/answers-sent.ts';
import { refusal } from './refusal.ts';

/**
 * Bytes of rows that one operation may read, such as all annotations of an image: they are in memory together, and
 * coordinates take seven times as much when they are decoded.
 */
const MOST_OF_ROWS = 48 * 1024 * 1024;
/** About as many characters an answer may have: it is serialised in one go, and all others wait for that. */
const MOST_OF_ANSWER = 64 * 1024 * 1024;

const CODE = 'COST_LIMIT_EXCEEDED';
const message = 'The answer would be too large: ask for smaller pages, or for fewer of them';
const DONE = 'The mutation was done, but its answer is too large: ask for less in it';

/** The signal of an operation that stops with its request, if it has one, or when it reads too much. */
export function limitReading(request?: Signal): Signal {
  return new ReadingSignal(
    (read) =>
      read > MOST_OF_ROWS
        ? new AppError('E900', { message, graphqlCode: CODE })
        : isTooMuch(read)
          ? tooMany()
          : undefined,
    request,
  );
}

/**
 * The result or, where it is too large, the operation read too much, or memory is short, only an error that says so. A
 * large one that is sent in `response` counts until it was taken. A mutation has been done: it is not to be tried again.
 */
export function limitAnswer(
  result: ExecutionResult,
  fragments?: JsonFragments,
  { response, isMutation }: { response?: ServerResponse; isMutation?: boolean } = {},
): ExecutionResult {
  const readTooMuch = result.errors?.find(
    ({ originalError }) => originalError instanceof AppError && originalError.graphqlCode === CODE,
  );
  const left = sizeLeft(result.data, MOST_OF_ANSWER - (fragments?.bytes ?? 0));
  const size = MOST_OF_ANSWER - left;
  const isShort = !readTooMuch && isTooMuch(size);
  if (readTooMuch || left < 0 || (isShort && isMutation)) {
    // Below its field, a mutation has been done.
    const isDone = isMutation && (readTooMuch?.path?.length ?? 2) > 1;
    return { errors: [refusal(isDone ? DONE : message, CODE)] };
  }
  if (isShort) {
    const refusal = tooMany();
    return { errors: [new GraphQLError(refusal.message, { originalError: refusal })] };
  }
  if (response && size > LARGE)
    countSent(size, () => response.writableFinished || response.destroyed);
  return result;
}

/** What is left of so many characters when a value is written as JSON; less than 0 if it is longer. */
function sizeLeft(value: unknown, most: number): number {
  if (typeof value === 'string') return most - value.length - 3;
  if (typeof value === 'number') return most - (Number.isInteger(value) ? 8 : 18);
  if (typeof value !== 'object' || value === null) return most - 5;
  let left = most - 2;
  if (Array.isArray(value)) {
    for (const element of value) if ((left = sizeLeft(element, left)) < 0) break;
    return left;
  }
  for (const name in value) {
    left = sizeLeft((value as Record<string, unknown>)[name], left - name.length - 4);
    if (left < 0) break;
  }
  return left;
}
