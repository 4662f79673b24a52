import { loadViewer } from '../../../auth/load-viewer.ts';
import { hashToken, isToken } from '../../../auth/tokens.ts';
import type { Context, SignedInContext } from '../../../core/context/context.ts';
import { AppError } from '../../../core/errors.ts';
import type { KeptBody } from '../../../core/context/kept-bodies.ts';
import { zoneOrUtc } from '../../../core/time/is-time-zone.ts';
import { readsOn } from '../../../core/database/replicas/reads.ts';
import type { Viewer } from '../../../core/context/viewer.ts';
import {
  feedCriteria,
  feedFilterSql,
  type FeedFilter,
} from '../../feeds/selection/feed-filter.sql.ts';
import { feedListOrder } from '../../feeds/selection/feed-order.ts';
import type { FeedRow } from '../../feeds/fields/feed-row.ts';
import type { ResolvedSelection } from '../../feeds/selection/feed-selection.ts';
import { readFeedSettings, type FeedSettings } from '../../feeds/selection/feed-settings.ts';
import { feedLists, listSource, type FeedList } from '../../feeds/selection/feed-visibility.sql.ts';
import { weighFilter } from '../../feeds/selection/weigh-filter.ts';
import { countRows } from '../../feeds/count-feeds.ts';
import { readFeedPage } from '../../feeds/read-feed-page.ts';
import { datesSql, partsOf } from '../calendar-window.sql.ts';
import { MAX_ITEMS } from '../open-calendar.ts';
import { numberOf, textOf } from '../row-values.ts';
import { readCalendarVersion } from './calendar-version.ts';
import { writeICalendar, type CalendarEvent, type LeftOut } from './write-icalendar.ts';

const DAY = 86_400_000;
/** Range of a subscription, in days from today. */
const REACH = { back: 92, ahead: 366 };
/** Feeds per statement: the embedded database does nothing else meanwhile. */
const PAGE = 250;

/** Of descriptions only the start: all of them are in memory together, and programs show no more. */
const columns = [
  'feed_title',
  'description_start',
  'starts_at',
  'ends_at',
  'status',
  'is_confidential',
  'version',
  'last_updated_time',
] as const;

/**
 * The iCalendar text of a subscription: what its owner may see now, a quarter back and a year ahead, with confidential
 * feeds as "Busy". It is cached, and written again when its content may have changed. REST GET /calendar/{token}.ics.
 * Throws a 404 for a token that is unknown or revoked, or whose owner is disabled, and E902 after too many calls of a
 * token or from an address.
 */
export async function readSubscribedCalendar(
  ctx: Context,
  args: { token: string },
): Promise<KeptBody> {
  const gone = (): AppError => new AppError('E404', { status: 404, message: 'No such calendar' });
  await ctx.callLimits.takeFrom(ctx.remoteAddress, 'calendars');
  if (!isToken(args.token)) throw gone();
  const tokenHash = hashToken(args.token);
  await ctx.callLimits.takeCalendar(Buffer.from(tokenHash).toString('base64url'));
  const found = await ctx.db.prisma.calendarSubscription.findUnique({
    where: { tokenHash, revokedAt: null },
  });
  const owner = found ? await loadViewer(ctx, found.userId) : null;
  if (!found || !owner) throw gone();
  const viewer = { ...owner, timeZone: zoneOrUtc(found.timeZone) };
  // A replica might lag behind the version.
  const reader: SignedInContext = { ...ctx, viewer, reads: readsOn(ctx.db) };
  const filter = feedCriteria.parse(found.filter);
  const today = Math.floor(ctx.clock() / DAY) * DAY;
  const calendar = {
    subscriptionId: found.id,
    viewer,
    filter,
    lists: feedLists(viewer, filter.view ?? 'MV', filter.taskView ?? 'P'),
    settings: await readFeedSettings(reader),
    from: today - REACH.back * DAY,
    to: today + REACH.ahead * DAY,
  };
  return ctx.keptBodies.get(
    `calendar ${found.id}`,
    await readCalendarVersion(reader, calendar),
    () => writeCalendar(reader, calendar),
  );
}

interface OpenedCalendar {
  subscriptionId: string;
  viewer: Viewer;
  filter: FeedFilter;
  lists: readonly FeedList[];
  settings: FeedSettings;
  from: number;
  to: number;
}

async function writeCalendar(
  ctx: SignedInContext,
  { subscriptionId, viewer, filter, lists, settings, from, to }: OpenedCalendar,
): Promise<Buffer> {
  const order = feedListOrder([{ field: 'START_DATE_TIME', direction: 'ASC' }], settings);
  const parts = partsOf(order, { from, to });
  const weighed = await weighFilter(ctx, filter);
  const selected: Pick<ResolvedSelection, 'sources' | 'lists' | 'conditions'> = {
    lists: [...lists],
    sources: lists.map((list) => listSource(list, viewer)),
    conditions: (params) => [
      ...feedFilterSql(weighed, viewer, params),
      ...datesSql({ from, to }, params),
    ],
  };
  const events: CalendarEvent[] = [];
  let left: LeftOut | undefined;
  let cursor: string | undefined;
  for (let read = 0; read < MAX_ITEMS; read += PAGE) {
    const page = await readFeedPage(ctx, {
      ...selected,
      order,
      parts,
      page: { limit: Math.min(PAGE, MAX_ITEMS - read), backward: false, cursor },
      columns,
      probe: false,
      settings,
    });
    events.push(...page.rows.flatMap(toEvent));
    const last = page.rows.at(-1);
    if (!page.hasNextPage || !last) break;
    cursor = page.cursor(last);
    if (read + PAGE >= MAX_ITEMS)
      left = {
        uid: `more-${subscriptionId}@trivium`,
        count: (await countRows(ctx, selected, settings)) - MAX_ITEMS,
        from: events.at(-1)?.start ?? from,
        to,
      };
  }
  return writeICalendar(`Trivium: ${viewer.displayName}`, viewer.timeZone, events, left);
}

function toEvent(row: FeedRow): CalendarEvent[] {
  const times = ([textOf(row, 'starts_at'), textOf(row, 'ends_at')] as const).map((text) =>
    text === null ? null : Date.parse(text),
  );
  const [start = null, end = null] = times;
  const first = start ?? end;
  if (first === null) return [];
  const status = textOf(row, 'status');
  return [
    {
      uid: `feed-${row.feedKey}@trivium`,
      start: first,
      end: start === null ? null : end,
      title: textOf(row, 'feed_title') ?? '',
      description: textOf(row, 'description_start'),
      confidential: row.get('is_confidential') === true,
      cancelled: status === 'F' || status === 'E',
      version: numberOf(row, 'version') ?? 1,
      changedAt: numberOf(row, 'last_updated_time') ?? 0,
    },
  ];
}
