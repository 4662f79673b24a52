import type { Database } from '../../src/core/database/db.ts';

/** Waits until another transaction waits for a lock; the embedded database has one transaction at a time. */
export async function untilSomebodyWaits(db: Database): Promise<void> {
  for (let waiting = db.embedded; !waiting;) {
    const [row] = await db.rows(
      `SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE NOT l.granted AND a.datname = current_database()`,
      [],
    );
    waiting = Number(row?.[0]) > 0;
  }
}
