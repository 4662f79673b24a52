import type { RecentChanges } from '../../core/context/change-follower.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import type { FeedList } from '../feeds/selection/feed-visibility.sql.ts';
import { changesFor } from '../change-log/changes.sql.ts';
import {
  rangesBeyond,
  transactionsBetween,
  type ChangePosition,
  type Snapshot,
} from '../change-log/change-position.ts';

/** Most matching rows that one statement returns, per requested feed: a feed that changes often has several. */
const FOUND_A_FEED = 5;
/** The same as a minimum, for a poll that requests only a few feeds. */
const FOUND_AT_LEAST = 100;

/** A row of the log that may concern the viewer. */
export interface FoundChange {
  xid: number;
  seq: number;
  feedKey: number;
  /** The lists that the viewer may read have changed. */
  listsChanged: boolean;
  /** As PostgreSQL prints an instant. */
  changedAt: string;
}

/** A part of the log: what `to` sees and `from` does not, after (xid, seq). */
export interface LogStretch {
  from: Snapshot;
  to: Snapshot;
  xid: number;
  seq: number;
}

/** The parts of the log between a position and now. */
export function stretchesAfter(position: ChangePosition, now: Snapshot): LogStretch[] {
  return 'to' in position
    ? [position, { from: position.to, to: now, xid: 0, seq: 0 }]
    : [{ from: position.from, to: now, xid: 0, seq: 0 }];
}

/**
 * The changes in a part of the log that concern these lists of the viewer, in log order: of feeds that are in one of
 * them or have left one, and of the viewer's own states. `readTo` is set if rows remain that were not examined.
 */
export async function readChanges(
  ctx: SignedInContext,
  stretch: LogStretch,
  of: {
    lists: readonly FeedList[];
    feedKeys?: readonly number[] | undefined;
    limit: number;
    recent: RecentChanges;
  },
): Promise<{ changes: FoundChange[]; readTo?: { xid: number; seq: number } }> {
  const { viewer } = ctx;
  const ranges = rangesBeyond(transactionsBetween(stretch.from, stretch.to), stretch);
  if (ranges.length === 0) return { changes: [] };
  const most = Math.max(FOUND_AT_LEAST, of.limit * FOUND_A_FEED);
  const { lists, feedKeys } = of;
  const rows =
    of.recent.beyond(stretch, { ...viewer, lists, feedKeys }, most) ??
    (await changesFor.rows(ctx.db, {
      ranges,
      domainId: viewer.domainId,
      userId: viewer.userId,
      reader: { lists, homeDeptIds: viewer.homeDeptIds },
      feedKeys,
      most,
    }));
  const changes: FoundChange[] = [];
  let readTo: { xid: number; seq: number } | undefined;
  for (const { xid, seq, feedKey, op, changedAt } of rows) {
    if (feedKey === null) readTo = { xid, seq };
    else changes.push({ xid, seq, feedKey, listsChanged: op === 'M', changedAt: changedAt ?? '' });
  }
  changes.sort((a, b) => a.xid - b.xid || a.seq - b.seq);
  const last = changes.at(-1);
  if (changes.length === most && last) readTo = { xid: last.xid, seq: last.seq };
  return readTo ? { changes, readTo } : { changes };
}
