import type { Database } from '../../core/database/db.ts';
import type { RowOf } from '../../core/sql/types.ts';
import { countOfChanges, loggedChanges, logHead, STREAM_PAGE } from './changes.sql.ts';
import {
  encodeChangeCursor,
  rangesBeyond,
  seenUpTo,
  snapshotBefore,
  transactionsBetween,
  transactionsSince,
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

/** What was written in some domains, and the end of the log. */
interface LogPage {
  head: LogHead;
  changes: LoggedChange[];
}

/**
 * Reads what was written in some domains since a snapshot, in its order, page by page: up to the end of the log as the
 * first page has it, which all of them have. There is at least one page.
 */
export async function* readLoggedSince(
  db: Pick<Database, 'read'>,
  domainIds: readonly number[],
  from: Snapshot,
): AsyncGenerator<LogPage> {
  const first = await readLogged(db, domainIds, rangesBeyond(transactionsSince(from)));
  const { head } = first;
  let { changes } = first;
  yield first;
  for (;;) {
    const last = changes.at(-1);
    if (!last || changes.length < STREAM_PAGE) return;
    const rest = rangesBeyond(transactionsBetween(from, head.now), last);
    if (rest.length === 0) return;
    ({ changes } = await readLogged(db, domainIds, rest));
    yield { head, changes };
  }
}

/** Reads a page, and the end of the log in the same snapshot. */
async function readLogged(
  db: Pick<Database, 'read'>,
  domainIds: readonly number[],
  ranges: readonly LogRange[],
): Promise<LogPage> {
  const rows = await loggedChanges.quickRows(db, { domainIds, ...boundsOf(ranges) });
  const changes = rows.flatMap(({ xid, seq, feedKey, op, changedAt, ...row }) =>
    xid === null || seq === null || feedKey === null || op === null || changedAt === null
      ? []
      : { ...row, xid, seq, feedKey, op, changedAt },
  );
  return { head: toHead(rows[0]), changes };
}

/** Was more than `most` written in a domain between two snapshots? */
export async function isMoreThan(
  most: number,
  db: Database,
  domainId: number,
  { from, to }: { from: Snapshot; to: Snapshot },
): Promise<boolean> {
  const bounds = boundsOf(rangesBeyond(transactionsBetween(from, to)));
  const found = await countOfChanges.first(db, { domainId, ...bounds, most: most + 1 });
  return (found?.count ?? 0) > most;
}

function boundsOf(ranges: readonly LogRange[]): Record<keyof LogRange, number[]> {
  return {
    low: ranges.map(({ low }) => low),
    after: ranges.map(({ after }) => after),
    high: ranges.map(({ high }) => high),
  };
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
