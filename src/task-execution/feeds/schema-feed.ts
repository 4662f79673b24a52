import { signedIn } from '../../auth/guards.ts';
import DataLoader from 'dataloader';
import { defaultFieldResolver } from 'graphql';
import { builder } from '../../core/graphql/builder.ts';
import { connectionType, relayPage, type RelayPage } from '../../core/graphql/connections.ts';
import { perRequest, type Context } from '../../core/context/context.ts';
import {
  pageFromConnectionArgs,
  type Connection,
  type ConnectionArgs,
  type PageRequest,
} from '../../core/lists/pagination.ts';
import { selectedFields } from './selected-fields.ts';
import { countListedFeeds } from './count-feeds.ts';
import { currentChangeCursor } from '../change-log/change-log.ts';
import type { FeedFieldType } from './fields/feed-codecs.ts';
import {
  columnOf,
  feedColumns,
  isFeedColumn,
  viewerFlags,
  type FeedColumn,
} from './fields/feed-columns.sql.ts';
import { feedFieldNames, graphqlName, type FeedFieldName } from './fields/feed-fields.ts';
import type { FeedOrder } from './selection/feed-order.ts';
import { FeedRow } from './fields/feed-row.ts';
import { preserialisedLists, preserialisedValue } from './fast/fast-feeds.ts';
import type { FeedSelection } from './selection/feed-selection.ts';
import { countChildFeeds, listChildFeeds } from './list-child-feeds.ts';
import { listFeeds } from './list-feeds.ts';
import { loadFeed } from './load-feeds.ts';
import { FeedStatusEnum } from '../terms/schema.ts';
import { FeedKindEnum } from './schema-inputs.ts';

/**
 * A field that shows a column: FeedRow has a property of the field's name, and lists of such fields can be
 * pre-serialised.
 */
function columnField(column: FeedColumn) {
  return {
    description: feedColumns[column].description,
    extensions: preserialisedValue(column),
    // The types of Pothos don't know this property.
    resolve: defaultFieldResolver as (feed: FeedRow) => never,
  };
}

/** Non-null fields: those that the API document always returns. */
const required: ReadonlySet<FeedFieldName> = new Set(['feed_key', 'feed_title', 'status']);

/** Details whose type is that of their column, in the order of the schema. */
const plainDetails = [
  'starts_at',
  'ends_at',
  'suggested_start_date',
  'suggested_end_date',
  ...Object.keys(viewerFlags).filter(isFeedColumn),
] as const;

export const FeedRef = builder.objectRef<FeedRow>('Feed');

builder.node(FeedRef, {
  description: 'A work item: project, task, message or walk.',
  id: {
    resolve: (feed) => feed.feedKey,
    extensions: preserialisedValue('global id'),
  },
  isTypeOf: (value) => value instanceof FeedRow,
  loadOne: (id, ctx) => (/^\d{1,16}$/.test(id) ? loadFeed(signedIn(ctx), Number(id)) : null),
  fields: (t) => {
    const field = (name: FeedFieldName) => {
      const { type, description, isDefault, replacedBy } = feedColumns[name];
      const shape = graphqlTypes[type];
      return t.field({
        ...columnField(name),
        type: shape.type,
        nullable: shape.nullable && !required.has(name),
        description: `${description} REST: \`${name}\`${isDefault ? '' : ' (additional)'}.`,
        ...(replacedBy && { deprecationReason: `Use ${replacedBy}, which has the same value.` }),
      });
    };
    return {
      kind: t.field({ type: FeedKindEnum, ...columnField('kind') }),
      version: t.int(columnField('version')),
      ...Object.fromEntries(
        plainDetails.map((name) => {
          const { type, nullable } = graphqlTypes[feedColumns[name].type];
          return [graphqlName(name), t.field({ type, nullable, ...columnField(name) })];
        }),
      ),
      parent: t.field({
        type: FeedRef,
        nullable: true,
        description:
          'The feed above it, such as the project of a task; null if there is none or you may not see it.',
        resolve: (feed, _, ctx) =>
          loadFeed(signedIn(ctx), Number(feed.get('parent_feed_key') ?? 0)),
      }),
      ...Object.fromEntries(feedFieldNames.map((name) => [graphqlName(name), field(name)])),
    };
  },
});

const graphqlTypes = {
  text: { type: 'String', nullable: true },
  status: { type: FeedStatusEnum, nullable: false },
  integer: { type: 'Int', nullable: true },
  bigInteger: { type: 'SafeInt', nullable: true },
  boolean: { type: 'Boolean', nullable: false },
  flag: { type: 'Boolean', nullable: false },
  wall: { type: 'LocalDateTime', nullable: true },
  utc: { type: 'DateTime', nullable: true },
  instant: { type: 'DateTime', nullable: true },
  day: { type: 'LocalDate', nullable: true },
  millis: { type: 'Timestamp', nullable: true },
  json: { type: 'JSON', nullable: true },
  url: { type: 'URL', nullable: true },
  future: { type: 'Boolean', nullable: false },
  remaining: { type: 'SafeInt', nullable: true },
} as const satisfies Record<FeedFieldType, { type: unknown; nullable: boolean }>;

/** A page of feeds in GraphQL. */
interface FeedConnectionPage extends Connection<FeedRow> {
  lastFetchTime: number;
  /** Taken before the read, if it is selected. */
  changeCursor: string;
}

export const { connection: FeedConnection } = connectionType<FeedRow, FeedConnectionPage>(
  'Feed',
  FeedRef,
  preserialisedLists,
);

builder.objectField(FeedConnection, 'lastFetchTime', (t) =>
  t.expose('lastFetchTime', {
    type: 'Timestamp',
    description: 'Server time before the data was read. REST: last_fetch_time.',
  }),
);

export type SelectionInfo = Parameters<typeof selectedFields>[0];

const columnsOf = new WeakMap<ReadonlySet<string>, FeedColumn[]>();

/** The columns that a query selects of the feeds at the ends of these paths below the current field. */
export function selectedFeedColumns(
  info: SelectionInfo,
  ...paths: readonly (readonly string[])[]
): FeedColumn[] {
  const selected = paths.map((path) => {
    const names = selectedFields(info, path);
    let columns = columnsOf.get(names);
    if (!columns)
      columnsOf.set(names, (columns = [...names].flatMap((name) => columnOf.get(name) ?? [])));
    return columns;
  });
  const [only, ...others] = selected.filter(({ length }) => length > 0);
  return only && others.length === 0 ? only : [...new Set(selected.flat())];
}

/**
 * The page that a connection field requests: reads the selected columns, and checks the other side of the page only if
 * that is selected.
 */
export async function feedConnection(
  ctx: Context,
  info: SelectionInfo,
  args: ConnectionArgs &
    Pick<FeedSelection, 'filter' | 'filterId' | 'tasksOnly'> & {
      orderBy?: readonly FeedOrder[] | null | undefined;
    },
): Promise<RelayPage<FeedRow, FeedConnectionPage>> {
  const { filter, filterId, tasksOnly, orderBy } = args;
  const selection = { filter, filterId, tasksOnly };
  const page = pageFromConnectionArgs(args);
  const changeCursor = await selectedChangeCursor(ctx, info);
  const { columns, probe } = selectedPage(info, page);
  const result = await listFeeds(signedIn(ctx), { orderBy, page, columns, probe, ...selection });
  return relayPage({
    changeCursor,
    totalCount: () => countListedFeeds(signedIn(ctx), selection),
    ...result,
  });
}

/**
 * The end of the change log before the page is read, so that following changes from there leaves no gap; only read if
 * it is selected.
 */
export async function selectedChangeCursor(ctx: Context, info: SelectionInfo): Promise<string> {
  if (!selectedFields(info, []).has('changeCursor')) return '';
  return changeCursors(ctx).load(ctx.viewer?.domainId ?? 0);
}

/** One look-up for all pages of one level. */
const changeCursors = perRequest(
  (ctx) =>
    new DataLoader<number, string>(
      async ([domainId = 0, ...more]) => {
        const cursor = await currentChangeCursor(ctx.db, domainId);
        return [cursor, ...more.map(() => cursor)];
      },
      { cache: false },
    ),
);

/**
 * What a connection field has to read: the selected columns, and whether there are rows on the other side of the page.
 */
export function selectedPage(
  info: SelectionInfo,
  page: PageRequest,
): { page: PageRequest; columns: FeedColumn[]; probe: boolean } {
  const columns = selectedFeedColumns(info, ['edges', 'node'], ['nodes']);
  return {
    page,
    columns,
    probe: selectedFields(info, ['pageInfo']).has(
      page.backward ? 'hasNextPage' : 'hasPreviousPage',
    ),
  };
}

builder.objectField(FeedRef, 'tasks', (t) =>
  t.connection(
    {
      type: FeedRef,
      description:
        'The feeds directly below this one that you may see: tasks, and what else is there, such as sub-projects, messages and walks; by default 10 per page.',
      resolve: async ({ feedKey }, args, ctx, info) => {
        const changeCursor = await selectedChangeCursor(ctx, info);
        const page = await listChildFeeds(signedIn(ctx), {
          parentFeedKey: feedKey,
          ...selectedPage(info, pageFromConnectionArgs(args, 10)),
        });
        return relayPage({
          changeCursor,
          totalCount: () => countChildFeeds(signedIn(ctx), feedKey),
          ...page,
        });
      },
    },
    FeedConnection,
  ),
);
