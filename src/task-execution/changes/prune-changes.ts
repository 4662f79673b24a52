import type { Services } from '../../core/context/context.ts';
import { firstUnseen } from '../change-log/change-position.ts';
import { markOfDays, moveHorizon, PRUNED_AT_ONCE, pruneSome } from './keep-changes.sql.ts';

/** Days for which changes are kept. */
const RETENTION = 30;

/**
 * Deletes changes that committed before the retention period, one batch per transaction, and moves the horizon: older
 * positions then get E116. Returns the number of deleted rows. Safe on several gateways at once.
 */
export async function pruneChanges({ db }: Pick<Services, 'db'>): Promise<number> {
  const mark = await markOfDays.first(db, { days: RETENTION });
  if (!mark) return 0;
  const horizon = firstUnseen(mark.snapshot);
  await moveHorizon.rows(db, { horizon, days: RETENTION });
  await db.prisma.changeMark.deleteMany({ where: { at: { lt: mark.at } } });
  let pruned = 0;
  for (;;) {
    const { length } = await pruneSome.rows(db, { horizon });
    pruned += length;
    if (length < PRUNED_AT_ONCE) return pruned;
  }
}
