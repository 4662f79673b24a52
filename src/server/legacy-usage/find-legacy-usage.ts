import type { Services } from '../../core/context/context.ts';
import { Params } from '../../core/lists/pagination.ts';
import { USAGE_COLUMNS, usageFromCells, usageSql, type LegacyUsage } from './legacy-usage.ts';

/** All that is used of the REST surface, in one domain or in all and outside of any; without asking for permissions: for operators (`trivium legacy-usage`). Throws E900. */
export async function findLegacyUsage(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  args: { days: number; domainId?: number | undefined },
): Promise<LegacyUsage[]> {
  const params = new Params();
  const rows = await db.rows(
    `SELECT ${USAGE_COLUMNS} FROM ${usageSql({ ...args, now: clock() }, params)} ORDER BY u.path, u.method, u.client, u.parameter`,
    params.values,
  );
  return rows.map(usageFromCells);
}
