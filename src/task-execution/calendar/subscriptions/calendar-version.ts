import type { SignedInContext } from '../../../core/context/context.ts';
import type { Viewer } from '../../../core/context/viewer.ts';
import type { FeedFilter } from '../../feeds/selection/feed-filter.ts';
import type { FeedSettings } from '../../feeds/selection/feed-settings.ts';
import type { FeedList } from '../../feeds/selection/feed-visibility.ts';

// The log is ordered by transactions as they began. One that began before the newest entry and has not ended may still put entries below it, so it is part of the place.
const CHANGES = `SELECT s.log_id, s.horizon_xid, c.xid, c.seq,
    array_to_string(ARRAY(SELECT x FROM pg_snapshot_xip(pg_current_snapshot()) AS x WHERE x::text::bigint < c.xid), ',')
  FROM change_log_state s LEFT JOIN LATERAL (SELECT xid, seq FROM change_log WHERE domain_id = $1 ORDER BY xid DESC, seq DESC LIMIT 1) c ON true`;

const NEXT_OVERDUE = `SELECT min(e.end_sort) FROM unnest($1::smallint[], $2::int[]) AS w (list, subject_id)
  CROSS JOIN LATERAL (SELECT l.end_sort FROM feed_listing l WHERE l.list = w.list AND l.subject_id = w.subject_id AND l.end_sort >= $3::timestamptz
    ORDER BY l.end_sort LIMIT 1) e`;

/**
 * What the text of a subscription follows from, in a few index look-ups: as long as this is the same, so is the text. Changes of other feeds of the domain make another
 * version of the same text too.
 */
export async function readCalendarVersion(
  ctx: SignedInContext,
  calendar: {
    viewer: Viewer;
    filter: FeedFilter;
    lists: readonly FeedList[];
    settings: FeedSettings;
    /** First instant of the reach. */
    from: number;
  },
): Promise<string> {
  const { viewer, filter, lists, settings, from } = calendar;
  const changes = await ctx.db.rows(CHANGES, [viewer.domainId]);
  // Feeds become overdue without a change.
  const overdue = filter.statuses
    ? await ctx.db.rows(NEXT_OVERDUE, [
        lists.map(({ list }) => list),
        lists.map(({ subjectId }) => subjectId),
        new Date(settings.overdueBefore).toISOString(),
      ])
    : [];
  return JSON.stringify([
    changes,
    overdue,
    from,
    viewer.displayName,
    viewer.domainId,
    viewer.unitId,
    viewer.deptIds,
    viewer.homeDeptIds,
    viewer.configVersion,
  ]);
}
