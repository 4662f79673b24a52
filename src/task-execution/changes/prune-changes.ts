import type { Services } from '../../core/context/context.ts';
import { firstUnseen } from '../change-log/change-position.ts';

/** Changes are kept this long, in days. */
const RETENTION = 30;
/** Rows that one statement deletes. */
const BATCH = 5_000;

/**
 * Deletes what was committed longer ago than the retention, a batch a transaction, and moves the horizon: positions before it are answered with E116 from then on.
 * Returns how many rows went. Safe on several gateways at once.
 */
export async function pruneChanges({ db }: Pick<Services, 'db'>): Promise<number> {
  const [mark] = await db.rows(
    `SELECT id, snapshot FROM change_mark WHERE at <= clock_timestamp() - $1::int * interval '1 day' ORDER BY at DESC, id DESC LIMIT 1`,
    [RETENTION],
  );
  const [id, snapshot] = mark ?? [];
  if (id == null || snapshot == null) return 0;
  const horizon = firstUnseen(snapshot);
  await db.rows(
    "UPDATE change_log_state SET horizon_xid = $1::bigint, started_at = coalesce(started_at, clock_timestamp() - $2::int * interval '1 day') WHERE horizon_xid < $1::bigint",
    [horizon, RETENTION],
  );
  await db.rows(
    'DELETE FROM change_mark WHERE at < (SELECT at FROM change_mark WHERE id = $1::bigint)',
    [id],
  );
  let pruned = 0;
  for (;;) {
    const rows = await db.rows(
      `DELETE FROM change_log WHERE ctid = ANY (ARRAY(SELECT c.ctid FROM domain d
         CROSS JOIN LATERAL (SELECT ctid FROM change_log c WHERE c.domain_id = d.id AND c.xid < $1::bigint LIMIT ${BATCH}) c LIMIT ${BATCH})) RETURNING 1`,
      [horizon],
    );
    pruned += rows.length;
    if (rows.length < BATCH) return pruned;
  }
}
