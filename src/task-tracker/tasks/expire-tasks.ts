import type { Services } from '../../core/context/context.ts';

/** Any constant: of the gateways of one database, one at a time. */
const LOCK = 4_711_061;
const BATCH = 500;

/** Sets the feeds of tasks whose expiry has come to E, whoever they are assigned to (F251), and returns how many. Leaves the work to another gateway that is at it. */
export async function expireTasks({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<number> {
  let total = 0;
  for (;;) {
    const expired = await db.transaction(async (client) => {
      const { rows } = await client.query<{ free: boolean }>(
        'SELECT pg_try_advisory_xact_lock($1) AS free',
        [LOCK],
      );
      if (!rows[0]?.free) return 0;
      const { rowCount } = await client.query(
        `UPDATE feed SET status = 'E', version = version + 1, last_updated_at = $1, has_history = true
         WHERE feed_key IN (
           SELECT f.feed_key FROM feed f WHERE f.feed_type = 'EXTERNAL' AND f.status IN ('N', 'R', 'P', 'O') AND f.deleted_at IS NULL AND f.end_at <= $1
             AND EXISTS (SELECT FROM external_task t WHERE t.feed_key = f.feed_key)
           ORDER BY f.end_at LIMIT ${BATCH} FOR UPDATE OF f SKIP LOCKED)`,
        [new Date(clock())],
      );
      return rowCount ?? 0;
    });
    total += expired;
    if (expired < BATCH) return total;
  }
}
