import { Temporal } from 'temporal-polyfill';
import { AppError } from '../../core/errors.ts';
import type { Day } from '../../core/time/days.ts';
import type { LeadershipFilter } from './leadership-filter.ts';

/** Which leadership calendar to read. */
export interface LeadershipArgs {
  /** M: the month; A: the whole year. */
  type: 'M' | 'A';
  /** 1 to 12; validated but not used with A (D-45). */
  month: number;
  year: number;
  filter?: LeadershipFilter | null | undefined;
}

/** A year in GraphQL: of four digits, as in REST, so that 26 is not taken for the year 26. Throws E146. */
export function fourDigits(year: number, argument = 'year'): number {
  if (year < 1000 || year > 9999)
    throw new AppError('E146', { inGraphQL: `${argument} must be between 1000 and 9999` });
  return year;
}

/** First and last day of the period. Throws E145. */
export function periodOf({ type, month, year }: LeadershipArgs): { from: Day; to: Day } {
  if (month < 1 || month > 12)
    throw new AppError('E145', { inGraphQL: 'month must be between 1 and 12' });
  const years = String(year).padStart(4, '0');
  if (type === 'A') return { from: `${years}0101`, to: `${years}1231` };
  const from = `${years}${String(month).padStart(2, '0')}01`;
  const { daysInMonth } = new Temporal.PlainDate(year, month, 1);
  return { from, to: `${from.slice(0, 6)}${daysInMonth}` };
}
