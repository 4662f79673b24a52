import type { SignedInContext } from '../../../core/context/context.ts';
import type { Viewer } from '../../../core/context/viewer.ts';
import { logEnd, nextEnd } from '../../change-log/changes.sql.ts';
import type { FeedFilter } from '../../feeds/selection/feed-filter.sql.ts';
import type { FeedSettings } from '../../feeds/selection/feed-settings.ts';
import type { FeedList } from '../../feeds/selection/feed-visibility.sql.ts';

/**
 * The version of a subscription's text, from a few index look-ups: while it is the same, so is the text. Changes of
 * other feeds in the domain give the same text another version.
 */
export async function readCalendarVersion(
  ctx: SignedInContext,
  calendar: {
    viewer: Viewer;
    filter: FeedFilter;
    lists: readonly FeedList[];
    settings: FeedSettings;
    /** Start of the subscription's range. */
    from: number;
  },
): Promise<string> {
  const { viewer, filter, lists, settings, from } = calendar;
  const changes = await logEnd.first(ctx.db, { domainId: viewer.domainId });
  // Feeds become overdue without being changed.
  const overdue = filter.statuses
    ? await nextEnd.first(ctx.db, {
        lists: lists.map(({ list }) => list),
        subjectIds: lists.map(({ subjectId }) => subjectId),
        from: new Date(settings.overdueBefore),
      })
    : null;
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
