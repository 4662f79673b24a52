import type { Database } from '../../core/database/db.ts';
import type { RowOf } from '../../core/sql/types.ts';
import { loggedChanges, logHead } from './changes.sql.ts';
import {
  encodeChangeCursor,
  seenUpTo,
  snapshotBefore,
  type LogRange,
  type Snapshot,
} from './change-position.ts';

/** Channel of the notification at every commit that wrote to the log; the migration uses the same name. */
export const CHANGES_CHANNEL = 'trivium_changes';

/** The current state of the log. */
export interface LogHead {
  logId: string;
  /** The transactions that have committed, as far as they concern the domains. */
  now: Snapshot;
  /** All rows of transactions from this one on are still kept. */
  horizonXid: number;
}

/**
 * Reads the end of the log of some domains. A later statement sees at least as much. `now` ends with a transaction that
 * has committed: after a crash or on a new primary, the numbers of those after it may be given again.
 */
export async function readLogHead(db: Database, domainIds: readonly number[]): Promise<LogHead> {
  return toHead(await logHead.first(db, { domainIds }));
}

type Logged = RowOf<typeof loggedChanges.row>;

/** A change as the log has it, with the lists in which its feed is. */
export type LoggedChange = {
  [Name in Exclude<keyof Logged, keyof LogHead | 'last'>]: Name extends
    'xid' | 'seq' | 'feedKey' | 'op' | 'changedAt'
    ? NonNullable<Logged[Name]>
    : Logged[Name];
};

/**
 * Reads what was written in ranges of the log of some domains, at most STREAM_PAGE changes, and the end of the log in the
 * same snapshot.
 */
export async function readLogged(
  db: Pick<Database, 'read'>,
  domainIds: readonly number[],
  ranges: readonly LogRange[],
): Promise<{ head: LogHead; changes: LoggedChange[] }> {
  const rows = await loggedChanges.quickRows(db, {
    domainIds,
    low: ranges.map(({ low }) => low),
    after: ranges.map(({ after }) => after),
    high: ranges.map(({ high }) => high),
  });
  const changes = rows.flatMap(({ xid, seq, feedKey, op, changedAt, ...row }) =>
    xid === null || seq === null || feedKey === null || op === null || changedAt === null
      ? []
      : { ...row, xid, seq, feedKey, op, changedAt },
  );
  return { head: toHead(rows[0]), changes };
}

function toHead(row: RowOf<typeof logHead.row> | undefined): LogHead {
  if (!row) return { logId: '', now: '0:0:', horizonXid: 0 };
  const { logId, now, horizonXid, last } = row;
  return { logId, now: seenUpTo(now, last), horizonXid };
}

/**
 * The cursor of the current end of the log. Read it before a list, and no change between the two is missed. GraphQL
 * `FeedConnection.changeCursor`.
 */
export async function currentChangeCursor(db: Database, domainId: number): Promise<string> {
  const { logId, now } = await readLogHead(db, [domainId]);
  return encodeChangeCursor(logId, { from: now });
}

/** The cursor of the oldest change that is still kept. */
export function oldestChangeCursor(head: LogHead): string {
  return encodeChangeCursor(head.logId, { from: snapshotBefore(head.horizonXid) });
}
