import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { costs } from '../../core/graphql/field-cost.ts';
import type { Context, SignedInContext } from '../../core/context/context.ts';
import { connectionType, relayPage, type RelayPage } from '../../core/graphql/connections.ts';
import {
  pageFromConnectionArgs,
  type Connection,
  type ConnectionArgs,
  type Page,
} from '../../core/lists/pagination.ts';
import { daysBetween, isoDay } from '../../core/time/days.ts';
import {
  FeedConnection,
  FeedRef,
  selectedChangeCursor,
  selectedPage,
  type SelectionInfo,
} from '../feeds/schema-feed.ts';
import type { AllItems, ItemsArgs } from './calendar-items.ts';
import { countCalendarItems, listCalendarFeeds } from './list-calendar-feeds.ts';
import { listCalendarProjects, type CalendarProject } from './list-calendar-projects.ts';
import { listCalendarWalks, type CalendarWalk } from './list-calendar-walks.ts';
import type { Calendar } from './open-calendar.ts';
import type { CalendarResult } from './read-calendar.ts';
import { CalendarLayoutEnum } from './schema-inputs.ts';
import { CalendarProjectRef, CalendarWalkRef } from './schema-items.ts';

const CalendarRange = builder.interfaceRef<Calendar>('CalendarRange').implement({
  description: 'What all calendars have: the range of days, and what the system filter says.',
  fields: (t) => ({
    layout: t.field({
      type: CalendarLayoutEnum,
      nullable: true,
      description: 'Layout of the system filter; null if no system filter was found. REST: layout.',
      resolve: (calendar) => calendar.systemFilter?.layout,
    }),
    calendarType: t.string({
      nullable: true,
      description:
        'Calendar type of the system filter; null if no system filter was found. REST: calendarType.',
      resolve: (calendar) => calendar.systemFilter?.calendarType,
    }),
    selectedDates: t.field({
      extensions: costs({ weight: 10 }),
      type: ['LocalDate'],
      description: 'The days of the range, in ascending order. REST: selectedDates.',
      resolve: ({ from, to }) => daysBetween(from, to).map(isoDay),
    }),
  }),
});

const truncated =
  'Whether items are missing because more than 5,000 match: ask for a shorter range.';

const CalendarFeeds = builder
  .objectRef<Extract<CalendarResult, { source: 'CALENDAR' }>>('CalendarFeeds')
  .implement({
    description: 'The calendar with source_id CALENDAR: feeds.',
    interfaces: [CalendarRange],
    fields: (t) => ({
      feeds: t.connection(
        {
          type: FeedRef,
          description: 'The feeds, by default 20 per page. REST: feed_details, all at once.',
          resolve: async (calendar, args, ctx, info) => {
            const changeCursor = await selectedChangeCursor(ctx, info);
            const page = await listCalendarFeeds(
              signedIn(ctx),
              calendar,
              selectedPage(info, pageFromConnectionArgs(args)),
            );
            return relayPage({
              ...page,
              changeCursor,
              lastFetchTime: calendar.lastFetchTime,
              totalCount: () => countCalendarItems(signedIn(ctx), calendar),
            });
          },
        },
        FeedConnection,
      ),
      lastFetchTime: t.expose('lastFetchTime', {
        type: 'Timestamp',
        description:
          'Server time before the data was read, in epoch milliseconds. REST: last_fetch_time.',
      }),
    }),
  });

type ListItems<Item> = (
  ctx: SignedInContext,
  calendar: Calendar,
  args: ItemsArgs,
) => Promise<Page<Item>>;

/** How a connection field lists projects or walks. */
const pagesOf =
  <Item>(list: ListItems<Item>) =>
  async (
    calendar: Calendar,
    args: ConnectionArgs,
    ctx: Context,
    info: SelectionInfo,
  ): Promise<RelayPage<Item, Connection<Item>>> => {
    const { page, probe } = selectedPage(info, pageFromConnectionArgs(args));
    const viewing = signedIn(ctx);
    const items = await list(viewing, calendar, { page, probe });
    return relayPage({ ...items, totalCount: () => countCalendarItems(viewing, calendar) });
  };

const CalendarProjects = builder
  .objectRef<Extract<CalendarResult, { all(): Promise<AllItems<CalendarProject>> }>>(
    'CalendarProjects',
  )
  .implement({
    description: 'The calendars with source_id STORE_PROJECTS and STORE_SUGGESTED_DATE_PROJECTS.',
    interfaces: [CalendarRange],
    fields: (t) => ({
      projects: t.field({
        type: [CalendarProjectRef],
        extensions: costs({ rows: 1_000 }),
        description:
          'The projects, by default in the order of the dates that are shown, all at once; `projectsConnection` has pages. REST: project_data.',
        resolve: async (calendar) => (await calendar.all()).items,
      }),
      projectsConnection: t.connection(
        {
          type: CalendarProjectRef,
          description: 'The same projects, by default 20 per page. REST: only all at once.',
          resolve: pagesOf(listCalendarProjects),
        },
        connectionType('CalendarProject', CalendarProjectRef).connection,
      ),
      truncated: t.boolean({
        description: truncated,
        resolve: async (calendar) => (await calendar.all()).truncated,
      }),
    }),
  });

const CalendarWalks = builder
  .objectRef<Extract<CalendarResult, { all(): Promise<AllItems<CalendarWalk>> }>>('CalendarWalks')
  .implement({
    description: 'The calendar with source_id STORE_WALK_CAL: walks.',
    interfaces: [CalendarRange],
    fields: (t) => ({
      walks: t.field({
        type: [CalendarWalkRef],
        extensions: costs({ rows: 1_000 }),
        description:
          'The walks, ordered by date, all at once; `walksConnection` has pages. REST: project_data.',
        resolve: async (calendar) => (await calendar.all()).items,
      }),
      walksConnection: t.connection(
        {
          type: CalendarWalkRef,
          description: 'The same walks, by default 20 per page. REST: only all at once.',
          resolve: pagesOf(listCalendarWalks),
        },
        connectionType('CalendarWalk', CalendarWalkRef).connection,
      ),
      truncated: t.boolean({
        description: truncated,
        resolve: async (calendar) => (await calendar.all()).truncated,
      }),
    }),
  });

/** GraphQL type CalendarResult. */
export const CalendarResultRef = builder.unionType('CalendarResult', {
  description: 'A calendar; its type follows from the source.',
  types: [CalendarFeeds, CalendarProjects, CalendarWalks],
  resolveType: (result) =>
    result.source === 'CALENDAR'
      ? 'CalendarFeeds'
      : result.source === 'STORE_WALK_CAL'
        ? 'CalendarWalks'
        : 'CalendarProjects',
});
