import { AppError } from '../../../core/errors.ts';
import { MOST_VALUES } from '../../../core/rest/parameter-values.ts';

/** Refuses a filter with too long a list; duplicate values count once. Throws E900. */
export function boundFilter(filter: object): void {
  for (const [name, value] of Object.entries(filter))
    if (Array.isArray(value) && value.length > MOST_VALUES) boundList(name, value, MOST_VALUES);
}

/** Refuses a list of more than `most` different values. Throws E900. */
export function boundList(name: string, values: readonly unknown[], most: number): void {
  if (values.length > most && new Set(values).size > most)
    throw new AppError('E900', { message: `${name}: at most ${most} values` });
}
