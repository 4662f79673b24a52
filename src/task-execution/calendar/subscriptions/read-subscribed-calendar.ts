import { loadViewer } from '../../../auth/identify-viewer.ts';
import { hashToken, isToken } from '../../../auth/tokens.ts';
import type { Context } from '../../../core/context/context.ts';
import { AppError } from '../../../core/errors.ts';
import { feedCriteria } from '../../feeds/feed-criteria.ts';
import { feedFilterSql } from '../../feeds/feed-filter.ts';
import { feedListOrder } from '../../feeds/feed-order.ts';
import type { FeedRow } from '../../feeds/feed-row.ts';
import { readFeedSettings } from '../../feeds/feed-settings.ts';
import { feedLists, listSource } from '../../feeds/feed-visibility.ts';
import { readFeedPage } from '../../feeds/read-feed-page.ts';
import { datesSql } from '../calendar-filter.ts';
import { MAX_ITEMS } from '../open-calendar.ts';
import { numberOf, textOf } from '../row-values.ts';
import { writeICalendar, type CalendarEvent } from './write-icalendar.ts';

const DAY = 86_400_000;
/** What a subscription reaches, in days from today. */
const REACH = { back: 92, ahead: 366 };

/**
 * The iCalendar text of a subscription: what its owner may see now, a quarter back and a year ahead; confidential feeds as "Busy". REST
 * GET /calendar/{token}.ics. Throws a 404 for a token that is unknown or revoked, or whose owner is disabled.
 */
export async function readSubscribedCalendar(
  ctx: Context,
  args: { token: string },
): Promise<string> {
  const gone = (): AppError => new AppError('E404', { status: 404, message: 'No such calendar' });
  if (!isToken(args.token)) throw gone();
  const [found] = await ctx.db.rows(
    'SELECT user_id, filter::text, time_zone FROM calendar_subscription WHERE token_hash = $1 AND revoked_at IS NULL',
    [Buffer.from(hashToken(args.token))],
  );
  const viewer = found ? await loadViewer(ctx, Number(found[0])) : null;
  if (!found || !viewer) throw gone();
  const timeZone = found[2] ?? 'UTC';
  const filter = feedCriteria.parse(JSON.parse(found[1] ?? '{}'));
  const reader: Context = { ...ctx, viewer: { ...viewer, timeZone } };
  const today = Math.floor(ctx.clock() / DAY) * DAY;
  const settings = await readFeedSettings(reader);
  const page = await readFeedPage(reader, {
    sources: feedLists(viewer, filter.view ?? 'MV', filter.taskView ?? 'P').map((list) =>
      listSource(list, viewer),
    ),
    conditions: (params) => [
      ...feedFilterSql(filter, { ...viewer, timeZone }, params),
      ...datesSql({ from: today - REACH.back * DAY, to: today + REACH.ahead * DAY }, params),
    ],
    order: feedListOrder([{ field: 'START_DATE_TIME', direction: 'ASC' }], settings),
    page: { limit: MAX_ITEMS, backward: false },
    columns: [
      'feed_title',
      'feed_description',
      'starts_at',
      'ends_at',
      'status',
      'is_confidential',
      'version',
      'last_updated_time',
    ],
    probe: false,
    settings,
  });
  return writeICalendar(`Trivium: ${viewer.displayName}`, timeZone, page.rows.flatMap(toEvent));
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
      description: textOf(row, 'feed_description'),
      confidential: row.get('is_confidential') === true,
      cancelled: status === 'F' || status === 'E',
      version: numberOf(row, 'version') ?? 1,
      changedAt: numberOf(row, 'last_updated_time') ?? 0,
    },
  ];
}
