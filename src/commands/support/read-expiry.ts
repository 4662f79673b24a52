import { parseTime } from '../../core/records/parse-time.ts';
import { UsageError } from './usage-error.ts';

/** The time of `--expires` as a job takes it, of a day its beginning by UTC; null if none is given. Throws UsageError. */
export function readExpiry(text: string | undefined): string | null {
  if (text === undefined) return null;
  const given = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text;
  const time = parseTime(given, 'UTC');
  if (time === undefined) throw new UsageError(`--expires: ${text} is not a time`);
  if (!/(Z|[+-]\d{2}:?\d{2})$/.test(given))
    throw new UsageError(`--expires: ${text} names no zone: add Z for UTC, or an offset`);
  return new Date(time).toISOString();
}
