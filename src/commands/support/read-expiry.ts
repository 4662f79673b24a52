import { UsageError } from './usage-error.ts';

/** The time of `--expires` as a job takes it; null if none is given. Throws UsageError. */
export function readExpiry(text: string | undefined): string | null {
  if (text === undefined) return null;
  const time = new Date(text);
  if (!(time.getUTCFullYear() <= 9999)) throw new UsageError(`--expires: ${text} is not a time`);
  return time.toISOString();
}
