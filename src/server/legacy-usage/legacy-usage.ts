import { AppError } from '../../core/errors.ts';
import { USAGE_DAYS } from '../../core/context/forget-expired.ts';
import type { RowOf } from '../../core/sql/types.ts';
import { deprecations, type Deprecation } from '../routes/deprecations.ts';
import type { usageRow } from './legacy-usage.sql.ts';

/** How often a client uses a path or one of its parameters. */
export interface LegacyUsage {
  path: string;
  method: string;
  client: string;
  /** Null: the path itself. */
  parameter: string | null;
  hits: number;
  lastSeen: Date;
  deprecation: Deprecation | null;
}

/** What tells a count from all others of its domain. */
export function namesOf({ path, method, client, parameter }: LegacyUsage): string[] {
  return [path, method, client, parameter ?? ''];
}

/** The first of the last days. Throws E900 for days out of range. */
export function usageSince({ days, now }: { days: number; now: number }): string {
  if (days < 1 || days > USAGE_DAYS)
    throw new AppError('E900', { message: `days must be between 1 and ${USAGE_DAYS}` });
  return new Date(now - (days - 1) * 86_400_000).toISOString().slice(0, 10);
}

export function toUsage({ parameter, ...usage }: RowOf<typeof usageRow>): LegacyUsage {
  return {
    ...usage,
    parameter: parameter || null,
    deprecation: deprecations[usage.path] ?? null,
  };
}
