import type { Database } from '../../core/database/db.ts';
import { logHead } from './changes.sql.ts';
import { encodeChangeCursor, snapshotBefore, type Snapshot } from './change-position.ts';

/** Channel of the notification at every commit that wrote to the log; the migration uses the same name. */
export const CHANGES_CHANNEL = 'trivium_changes';

/** The current state of the log. */
export interface LogHead {
  logId: string;
  /** The transactions that have committed. */
  now: Snapshot;
  /** All rows of transactions from this one on are still kept. */
  horizonXid: number;
}

/** Reads the end of the log. A later statement sees at least as much. */
export async function readLogHead(db: Database): Promise<LogHead> {
  return (await logHead.first(db, {})) ?? { logId: '', now: '0:0:', horizonXid: 0 };
}

/**
 * The cursor of the current end of the log. Read it before a list, and no change between the two is missed. GraphQL
 * `FeedConnection.changeCursor`.
 */
export async function currentChangeCursor(db: Database): Promise<string> {
  const { logId, now } = await readLogHead(db);
  return encodeChangeCursor(logId, { from: now });
}

/** The cursor of the oldest change that is still kept. */
export function oldestChangeCursor(head: LogHead): string {
  return encodeChangeCursor(head.logId, { from: snapshotBefore(head.horizonXid) });
}
