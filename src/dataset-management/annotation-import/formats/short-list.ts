import * as z from 'zod';

/** A list of anything, of at most so many items: to be checked before them, for each wrong one costs memory. */
export function shortList(most: number): z.ZodType<unknown[], unknown> {
  return z.custom<unknown[]>(
    (value) => Array.isArray(value) && value.length <= most,
    `is no list of at most ${most} items`,
  );
}

/** A list of numbers with one fault for all that is wrong. */
export const numberList = z.custom<number[]>(
  (value) => Array.isArray(value) && value.every((number) => Number.isFinite(number)),
  'is no list of numbers',
);
