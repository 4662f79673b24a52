import type { Viewer } from '../../src/core/context/viewer.ts';
import type { CellStatement, TypedParams } from '../../src/core/sql/statement.ts';
import { calendarConditions } from '../../src/task-execution/calendar/calendar-filter.sql.ts';
import {
  type CalendarFilter,
  calendarLayouts,
  calendarSources,
} from '../../src/task-execution/calendar/calendar-filter.ts';
import { partsOf } from '../../src/task-execution/calendar/calendar-window.sql.ts';
import { liveFeeds } from '../../src/task-execution/change-log/changes.sql.ts';
import * as pages from '../../src/task-execution/feeds/feed-pages.sql.ts';
import {
  feedColumns,
  isFeedColumn,
} from '../../src/task-execution/feeds/fields/feed-columns.sql.ts';
import { feedLayout } from '../../src/task-execution/feeds/fields/feed-row.ts';
import {
  directCounts,
  directTotal,
  summedCounts,
} from '../../src/task-execution/feeds/selection/feed-counts.sql.ts';
import {
  feedCriteria,
  feedFilterSql,
  feedFilterTypes,
} from '../../src/task-execution/feeds/selection/feed-filter.sql.ts';
import {
  feedListOrder,
  feedOrderFields,
} from '../../src/task-execution/feeds/selection/feed-order.ts';
import {
  allFeedLists,
  childSource,
  feedLists,
  listSource,
  visibleListings,
} from '../../src/task-execution/feeds/selection/feed-visibility.sql.ts';
import * as values from '../../src/task-execution/feeds/selection/filter-values.ts';
import type { Step } from '../../src/task-execution/feeds/selection/list-ranges.sql.ts';
import { leadershipConditions } from '../../src/task-execution/leadership-calendar/leadership-calendar.sql.ts';

const viewer: Viewer = {
  isOpen: true,
  sessionId: '',
  userId: 1,
  login: 'ana',
  displayName: 'Ana',
  domainId: 1,
  unitId: 1,
  profileId: null,
  deptIds: [1, 2],
  homeDeptIds: [1],
  timeZone: 'Europe/Berlin',
  langCode: 'en',
  currentView: 'MV',
  permissions: new Set(),
  configVersion: '1',
  writtenLsn: 0,
};
const loner = { ...viewer, deptIds: [], unitId: null };
const named = { user: 1, overdueBefore: 0 };
const settings = { overdueBefore: 0, sortOrder: [], priorities: [] };
const everyColumn = feedLayout(Object.keys(feedColumns).filter(isFeedColumn));
/** Where the columns are not what is tried. */
const layout = feedLayout([]);

/** Stored values for each type of value: all variants of the SQL. */
const many = Array.from({ length: 60 }, (_, index) => `text ${index}`);
const valuesOf = new Map<unknown, readonly unknown[]>([
  [values.flag, [true, false]],
  [values.text, ['text']],
  [values.texts, [['a'], many]],
  [values.integers, [[1]]],
  [values.instant, [1]],
  [values.days, [[], ['2026-01-01'], ['2026-01-01', '2026-02-01']]],
  [values.statuses, [['NEW'], ['OVERDUE']]],
  [values.view, []],
  [values.taskView, []],
]);

type Conditions = (params: TypedParams) => string[];

/** The conditions of every filter, of a list and of the calendars. */
function* allConditions(): Generator<Conditions> {
  yield () => [];
  for (const [name, type] of Object.entries(feedFilterTypes)) {
    const stored = valuesOf.get(type);
    if (!stored) throw new Error(`there is no value to try the filter ${name} with`);
    for (const value of stored) {
      const filter = feedCriteria.parse({ [name]: value });
      yield (params) => feedFilterSql(filter, viewer, params);
    }
  }
  yield (params) => feedFilterSql({ messageTypes: ['a'], fewTypes: true }, viewer, params);
  const filters: CalendarFilter[] = [
    { localProjects: 'Y', activeOnly: true, execLevel: 'a', orgLevel: 'b', requestorLevel: 'c' },
    { localProjects: 'N', unitIds: [1], weekDates: ['20260105', '20260106'] },
  ];
  for (const source of calendarSources)
    for (const layout of calendarLayouts)
      for (const filter of filters)
        yield (params) =>
          calendarConditions(
            { source, from: '20260101', to: '20260131', layout },
            { filter, criteria: null },
            viewer,
            params,
          );
  const everything = { execLevels: [1], assignments: [1], viewUnits: [1], legendTypes: [1] };
  yield (params) => leadershipConditions(everything, viewer, params);
}

const views = (['MV', 'DV', 'SV'] as const).flatMap((view) =>
  (['P', 'T', 'other'] as const).map((rows) => feedLists(viewer, view, rows)),
);
const lists = feedLists(viewer, 'MV', 'P');
const sources = lists.map((list) => listSource(list, viewer));
const oneSource = sources.slice(0, 1);
const allSources = [
  ...views.map((some) => some.map((list) => listSource(list, viewer))),
  [childSource(1, viewer)],
  [childSource(1, loner)],
];

const byDefault = feedListOrder([], settings);
/** Each column alone and together with the next, in every direction. */
const orders = feedOrderFields.flatMap((field, at) =>
  (['ASC', 'DESC'] as const).flatMap((direction) => [
    feedListOrder([{ field, direction }], settings),
    feedListOrder(
      [
        { field, direction },
        { field: feedOrderFields[(at + 1) % feedOrderFields.length] ?? field, direction: 'ASC' },
      ],
      settings,
    ),
  ]),
);
const conditionsOf = [...allConditions()];
const none = (): string[] => [];
const query = { sources, conditions: none, order: byDefault, page: { limit: 20, backward: false } };

/** Every source, every condition, and every order in both directions, with and without a position. */
const queries = [
  ...allSources.map((some) => ({ ...query, sources: some })),
  ...conditionsOf.map((conditions) => ({ ...query, conditions })),
  ...orders.flatMap((order) =>
    [true, false].flatMap((backward) =>
      [sources, oneSource].map((some) => ({
        ...query,
        sources: some,
        order,
        page: { limit: 20, backward },
      })),
    ),
  ),
];
type Query = (typeof queries)[number];

/** No value of a position is looked at when a statement is prepared. */
const positionOf = ({ order }: Query): string[] => order.map(() => '');

const steps = (one: Query): { step: Step; probe: string[] | undefined }[] => {
  const position = positionOf(one);
  return [
    { step: { position: undefined }, probe: undefined },
    { step: { position }, probe: undefined },
    { step: { position }, probe: position },
    { step: { position, leading: { at: '' } }, probe: position },
    { step: { position: undefined, leading: { first: true } }, probe: undefined },
    { step: { position: undefined, leading: { beyond: '' } }, probe: undefined },
    { step: { position: undefined, beyond: '' }, probe: undefined },
    ...(partsOf(one.order, { from: 0, to: 1 }) ?? []).map((part) => ({
      step: { position, part },
      probe: position,
    })),
  ];
};

function samplesFor<Args>(
  statement: CellStatement<Args>,
  samples: readonly Args[],
): [unknown, readonly Args[]] {
  return [statement, samples];
}

const keys = [1];
const children = { parents: keys, layout, viewer, named };

/** Arguments of the statements of feeds: every column, filter, order and view. */
export const feedSamples: readonly [unknown, readonly unknown[]][] = [
  samplesFor(pages.feedPage, [
    ...steps(query).map((step) => ({ ...step, query, layout: everyColumn, named })),
    ...queries.flatMap((one) => steps(one).map((step) => ({ ...step, query: one, layout, named }))),
  ]),
  samplesFor(
    pages.feedsBehind,
    queries.map((one) => ({ query: one, position: positionOf(one), named })),
  ),
  samplesFor(
    pages.childPages,
    orders.flatMap((order) =>
      [true, false].map((backward) => ({ ...children, order, page: { limit: 1, backward } })),
    ),
  ),
  samplesFor(
    pages.childCounts,
    [viewer, loner].map((one) => ({ parents: keys, viewer: one })),
  ),
  samplesFor(
    pages.visibleFeeds,
    [viewer, loner].map((one) => ({ keys, layout: everyColumn, named, viewer: one })),
  ),
  samplesFor(
    visibleListings,
    [viewer, loner].map((one) => ({ keys, viewer: one })),
  ),
  samplesFor(
    pages.selectedFeeds,
    queries.map((one) => ({ ...one, keys, layout, named })),
  ),
  samplesFor(liveFeeds, [{ layout: everyColumn, pairs: [] }]),
  samplesFor(summedCounts, [
    { lists: feedLists(viewer, 'DV', 'P'), query: { homeDeptIds: [1] } },
    {
      lists: feedLists(viewer, 'SV', 'P'),
      query: { window: { from: 1, to: 2 }, homeDeptIds: [] },
    },
    { lists, query: { window: { from: 0, to: 0 }, priorities: [1], homeDeptIds: [1, 2] } },
    { lists: feedLists(viewer, 'MV', 'T'), query: { homeDeptIds: [] } },
    {
      lists: feedLists(viewer, 'MV', 'P'),
      query: { window: { from: 1, to: 2 }, priorities: [1], homeDeptIds: [1] },
    },
  ]),
  ...[directCounts, directTotal].map((counts) =>
    samplesFor(
      counts,
      [...views, allFeedLists(viewer)].flatMap((some) =>
        conditionsOf.map((conditions) => ({
          sources: some.map((list) => listSource(list, viewer)),
          lists: some,
          conditions,
          named,
        })),
      ),
    ),
  ),
];
