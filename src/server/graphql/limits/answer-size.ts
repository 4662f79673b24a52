import { getHeapStatistics } from 'node:v8';
import { GraphQLError, type ExecutionResult } from 'graphql';
import { AppError } from '../../../core/errors.ts';
import type { JsonFragments } from '../../../core/json/json.ts';
import { ReadingSignal, type Signal } from '../../../core/signal.ts';

/**
 * Bytes of rows that one operation may read, such as all annotations of an image: they are in memory together, and
 * coordinates take seven times as much when they are decoded.
 */
const MOST_OF_ROWS = 48 * 1024 * 1024;
/** With more rows than this, an operation is refused while memory is short. */
const MANY_ROWS = 8 * 1024 * 1024;
/** The part of the heap beyond which memory is short. */
const FULL = 0.5;
/** About as many characters an answer may have: it is serialised in one go, and all others wait for that. */
const MOST_OF_ANSWER = 64 * 1024 * 1024;

const CODE = 'COST_LIMIT_EXCEEDED';
const message = 'The answer would be too large: ask for smaller pages, or for fewer of them';

/** The signal of an operation that stops with its request, if it has one, or when it reads too much. */
export function limitReading(request?: Signal): Signal {
  return new ReadingSignal(
    (read) =>
      read > MOST_OF_ROWS
        ? new AppError('E900', { message, graphqlCode: CODE })
        : read > MANY_ROWS && isMemoryShort()
          ? new AppError('E900', {
              status: 503,
              message: 'Too many large answers are being made: try again',
              graphqlCode: 'TIMEOUT',
              headers: { 'retry-after': '5' },
            })
          : undefined,
    request,
  );
}

function isMemoryShort(): boolean {
  const { used_heap_size: used, heap_size_limit: most } = getHeapStatistics();
  return used > FULL * most;
}

/** The result or, where it is too large or the operation read too much, only an error that says so. */
export function limitAnswer(
  result: ExecutionResult,
  fragments: JsonFragments | undefined,
): ExecutionResult {
  const readTooMuch = result.errors?.some(
    ({ originalError }) => originalError instanceof AppError && originalError.graphqlCode === CODE,
  );
  if (!readTooMuch && sizeLeft(result.data, MOST_OF_ANSWER - (fragments?.bytes ?? 0)) >= 0)
    return result;
  const extensions = { code: CODE, http: { spec: true, status: 400 } };
  return { errors: [new GraphQLError(message, { extensions })] };
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
