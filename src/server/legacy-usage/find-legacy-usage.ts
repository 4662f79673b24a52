import type { Services } from '../../core/context/context.ts';
import { usageIn } from './legacy-usage.sql.ts';
import { toUsage, usageSince, type LegacyUsage } from './legacy-usage.ts';

/**
 * All usage of the REST surface, of one domain, or of all domains and of calls without one. Checks no permissions: for
 * operators (`trivium legacy-usage`). Throws E900.
 */
export async function findLegacyUsage(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  { days, domainId }: { days: number; domainId?: number | undefined },
): Promise<LegacyUsage[]> {
  const since = usageSince({ days, now: clock() });
  return (await usageIn.rows(db, { since, domainId })).map(toUsage);
}
