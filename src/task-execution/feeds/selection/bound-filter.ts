import { AppError } from '../../../core/errors.ts';

/**
 * Most values in one list of a filter: the days of three years, and more than a domain has types, tags or departments.
 */
export const MAX_FILTER_VALUES = 1_096;

/** Refuses a filter with too long a list; duplicate values count once. Throws E900. */
export function boundFilter(filter: object): void {
  for (const [name, value] of Object.entries(filter))
    if (Array.isArray(value) && value.length > MAX_FILTER_VALUES)
      boundList(name, value, MAX_FILTER_VALUES);
}

/** Refuses a list of more than `most` different values. Throws E900. */
export function boundList(name: string, values: readonly unknown[], most: number): void {
  if (values.length > most && new Set(values).size > most)
    throw new AppError('E900', { message: `${name}: at most ${most} values` });
}
