import * as z from 'zod';
import type { SortColumn } from '../../../core/lists/sort-column.ts';
import type { FeedSettings } from './feed-settings.ts';

/** The documented sort columns (D-28), by GraphQL name, with their REST spelling and the column of feed_listing. */
const sortable = {
  PROFILE_ID: { rest: 'profileId', sql: 'l.profile_sort', kind: 'integer', fewValues: true },
  END_DATE_TIME: { rest: 'endDateTime', sql: 'l.end_sort', kind: 'instant', fewValues: false },
  PRIORITY: { rest: 'priority', sql: 'l.priority_sort', kind: 'integer', fewValues: true },
  START_DATE_TIME: {
    rest: 'startDateTime',
    sql: 'l.start_sort',
    kind: 'instant',
    fewValues: false,
  },
  FEED_TITLE: { rest: 'feedTitle', sql: 'l.title_sort', kind: 'text', fewValues: false },
  FEED_TYPE_ID: { rest: 'feedTypeId', sql: 'l.feed_type_sort', kind: 'text', fewValues: true },
} as const;

export type FeedOrderField = keyof typeof sortable;
export type OrderDirection = 'ASC' | 'DESC';
export interface FeedOrder {
  field: FeedOrderField;
  direction: OrderDirection;
}

const isFeedOrderField = (name: string): name is FeedOrderField => Object.hasOwn(sortable, name);
export const feedOrderFields = Object.keys(sortable).filter(isFeedOrderField);

/** Their names in REST, as documented. */
export const feedOrderNames = feedOrderFields.map((field) => sortable[field].rest);

/** The order of a system filter. */
export const feedSort: z.ZodType<FeedOrder[]> = z
  .array(
    z.strictObject({
      field: z.enum(feedOrderFields),
      direction: z.enum(['ASC', 'DESC']).default('ASC'),
    }),
  )
  .max(6);

/** The sort column with a documented name: in any case, camelCase or snake_case (D-28). */
export function parseFeedOrderField(name: string): FeedOrderField | undefined {
  const plain = name.replaceAll('_', '').toLowerCase();
  return feedOrderFields.find((field) => sortable[field].rest.toLowerCase() === plain);
}

const orders = new Map<string, readonly SortColumn[]>();

/**
 * The total order of a list: the requested columns (without duplicates), else the configured ones, else the end; then
 * the feed key in the direction of the last column.
 */
export function feedListOrder(
  requested: readonly FeedOrder[] | null | undefined,
  settings: FeedSettings,
): readonly SortColumn[] {
  const asked = requested?.length ? requested : configuredOrder(settings);
  const unique = asked.filter(
    (item, index) => asked.findIndex((other) => other.field === item.field) === index,
  );
  const effective: readonly FeedOrder[] =
    unique.length > 0 ? unique : [{ field: 'END_DATE_TIME', direction: 'ASC' }];
  const spec = effective.map((item) => `${item.field} ${item.direction}`).join();
  let order = orders.get(spec);
  if (!order) {
    if (orders.size >= 1_000) orders.clear();
    const columns = effective.map(({ field, direction }): SortColumn => {
      const { rest: name, ...column } = sortable[field];
      return { name, ...column, descending: direction === 'DESC' };
    });
    order = [
      ...columns,
      {
        name: 'feedKey',
        sql: 'l.feed_key',
        kind: 'key',
        descending: effective.at(-1)?.direction === 'DESC',
      },
    ];
    orders.set(spec, order);
  }
  return order;
}

function configuredOrder(settings: FeedSettings): FeedOrder[] {
  return settings.sortOrder.flatMap(({ key, value }) => {
    const field = parseFeedOrderField(key);
    return field
      ? [{ field, direction: value.toUpperCase() === 'D' ? ('DESC' as const) : ('ASC' as const) }]
      : [];
  });
}
