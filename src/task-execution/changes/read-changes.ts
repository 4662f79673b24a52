import type { SignedInContext } from '../../core/context/context.ts';
import { Params } from '../../core/lists/pagination.ts';
import { readableSql, type FeedList } from '../feeds/selection/feed-visibility.ts';
import {
  rangesBeyond,
  transactionsBetween,
  type ChangePosition,
  type Snapshot,
} from '../change-log/change-position.ts';

/** Rows of the log that one statement looks at, at most: bounds the work of a client that was away for long. */
const SCANNED = 20_000;
/** Rows that concern the viewer which one statement returns, for each feed that is asked for: one that changed often has several. */
const FOUND_A_FEED = 5;
/** And at least, for a poll that asks for a few feeds. */
const FOUND_AT_LEAST = 100;

/** A row of the log that may concern the viewer. */
export interface FoundChange {
  xid: number;
  seq: number;
  feedKey: number;
  /** The lists that the viewer may read are others now. */
  listsChanged: boolean;
  /** As PostgreSQL prints an instant. */
  changedAt: string;
}

/** A stretch of the log: what `to` sees and `from` does not, beyond (xid, seq). */
export interface LogStretch {
  from: Snapshot;
  to: Snapshot;
  xid: number;
  seq: number;
}

/** The stretches between a position and now. */
export function stretchesAfter(position: ChangePosition, now: Snapshot): LogStretch[] {
  return 'to' in position
    ? [position, { from: position.to, to: now, xid: 0, seq: 0 }]
    : [{ from: position.from, to: now, xid: 0, seq: 0 }];
}

/**
 * The changes of a stretch that concern these lists of the viewer, in log order: of feeds that are in one of them or have left one, and of the
 * viewer's own states. `readTo` is set when the stretch goes on beyond what was looked at.
 */
export async function readChanges(
  ctx: SignedInContext,
  stretch: LogStretch,
  of: { lists: readonly FeedList[]; feedKeys?: readonly number[] | undefined; limit: number },
): Promise<{ changes: FoundChange[]; readTo?: { xid: number; seq: number } }> {
  const { viewer } = ctx;
  const ranges = rangesBeyond(transactionsBetween(stretch.from, stretch.to), stretch);
  if (ranges.length === 0) return { changes: [] };
  const most = Math.max(FOUND_AT_LEAST, of.limit * FOUND_A_FEED);
  const params = new Params();
  const low = params.add(ranges.map((range) => range.low));
  const after = params.add(ranges.map((range) => range.after));
  const high = params.add(ranges.map((range) => range.high));
  const domain = params.add(viewer.domainId);
  const me = params.add(viewer.userId);
  const reader = { lists: of.lists, homeDeptIds: viewer.homeDeptIds };
  const keys = of.feedKeys
    ? `AND (c.feed_key = ANY (${params.add([...of.feedKeys])}::bigint[]) OR c.op = 'M')`
    : '';
  // OFFSET 0: one look-up for each change, of which there are few. PostgreSQL reckons with as many as there may be, and would read the lists as a whole.
  const rows = await ctx.db.rows(
    `WITH scanned AS MATERIALIZED (
       SELECT c.* FROM unnest(${low}::bigint[], ${after}::bigint[], ${high}::bigint[]) AS r (low, after, high) CROSS JOIN LATERAL (
         SELECT * FROM change_log c WHERE c.domain_id = ${domain} AND (c.xid, c.seq) > (r.low, r.after) AND c.xid < r.high ORDER BY c.xid, c.seq LIMIT ${SCANNED}) c
       ORDER BY c.xid, c.seq LIMIT ${SCANNED}
     ), found AS (
       SELECT * FROM scanned c WHERE (c.audience_user_id IS NULL OR c.audience_user_id = ${me}) ${keys} AND CASE c.op
         WHEN 'M' THEN true WHEN 'L' THEN ${readableSql('c', reader, params)}
         ELSE EXISTS (SELECT FROM feed_listing l WHERE l.feed_key = c.feed_key AND ${readableSql('l', reader, params)} OFFSET 0) END
       ORDER BY c.xid, c.seq LIMIT ${most}
     )
     SELECT xid, seq, feed_key, op, changed_at FROM found
     UNION ALL (SELECT xid, seq, NULL, NULL, NULL FROM scanned ORDER BY xid, seq OFFSET ${SCANNED - 1} LIMIT 1)`,
    params.values,
  );
  const changes: FoundChange[] = [];
  let readTo: { xid: number; seq: number } | undefined;
  for (const [xid, seq, feedKey, op, changedAt] of rows) {
    if (feedKey == null) readTo = { xid: Number(xid), seq: Number(seq) };
    else
      changes.push({
        xid: Number(xid),
        seq: Number(seq),
        feedKey: Number(feedKey),
        listsChanged: op === 'M',
        changedAt: changedAt ?? '',
      });
  }
  changes.sort((a, b) => a.xid - b.xid || a.seq - b.seq);
  const last = changes.at(-1);
  if (changes.length === most && last) readTo = { xid: last.xid, seq: last.seq };
  return readTo ? { changes, readTo } : { changes };
}
