import type { Database } from '../../src/core/database/db.ts';

/** Waits until so many other transactions wait for a lock; the embedded database has one transaction at a time. */
export async function untilSomebodyWaits(db: Database, many = 1): Promise<void> {
  for (let waiting = db.embedded; !waiting;) {
    const [row] = await db.rows(
      `SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE NOT l.granted AND a.datname = current_database()`,
      [],
    );
    waiting = Number(row?.[0]) >= many;
  }
}
