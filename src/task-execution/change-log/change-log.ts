import type { Database } from '../../core/database/db.ts';
import { encodeChangeCursor, snapshotBefore, type Snapshot } from './change-position.ts';

/** Notified at every commit that wrote to the log; the name stands in the migration too. */
export const CHANGES_CHANNEL = 'trivium_changes';

/** The log as it is now. */
export interface LogHead {
  logId: string;
  /** What is committed. */
  now: Snapshot;
  /** Every row of a transaction from this one on is kept. */
  horizonXid: number;
}

/** Reads where the log ends. What a later statement reads is at least as new. */
export async function readLogHead(db: Database): Promise<LogHead> {
  const [row] = await db.rows(
    'SELECT log_id, pg_current_snapshot()::text, horizon_xid FROM change_log_state',
    [],
  );
  return { logId: row?.[0] ?? '', now: row?.[1] ?? '0:0:', horizonXid: Number(row?.[2] ?? 0) };
}

/** The cursor from which on everything is to come. Take it before reading a list, and no change between the two is missed. GraphQL `FeedConnection.changeCursor`. */
export async function currentChangeCursor(db: Database): Promise<string> {
  const { logId, now } = await readLogHead(db);
  return encodeChangeCursor(logId, { from: now });
}

/** The cursor of the oldest change that is kept. */
export function oldestChangeCursor(head: LogHead): string {
  return encodeChangeCursor(head.logId, { from: snapshotBefore(head.horizonXid) });
}
