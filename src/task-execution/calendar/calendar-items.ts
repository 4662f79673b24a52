import type { PageInfo, PageRequest } from '../../core/lists/pagination.ts';
import type { FeedRow } from '../feeds/fields/feed-row.ts';
import type { FeedPage } from '../feeds/read-feed-page.ts';
import { MAX_ITEMS } from './open-calendar.ts';

/** Which items to read; `probe`: see FeedPageQuery. */
export interface ItemsArgs {
  page: PageRequest;
  probe: boolean;
}

/** A page of projects or walks. */
export interface CalendarItems<Item> extends PageInfo {
  rows: readonly Item[];
  /** Position of each item. */
  cursor(item: Item): string;
}

/** Makes the items of a page of feeds. */
export function itemsOf<Item>(page: FeedPage, make: (row: FeedRow) => Item): CalendarItems<Item> {
  const { hasNextPage, hasPreviousPage } = page;
  const rows = page.rows.map(make);
  const cursor = (item: Item): string => {
    const row = page.rows[rows.indexOf(item)];
    if (!row) throw new Error('the item is of another page');
    return page.cursor(row);
  };
  return { rows, cursor, hasNextPage, hasPreviousPage };
}

/** All items of a calendar, but MAX_ITEMS at most. */
export interface AllItems<Item> {
  items: readonly Item[];
  /** Whether there are more. */
  truncated: boolean;
}

/** Reads them when it is called first. */
export function allItems<Item>(
  read: (args: ItemsArgs) => Promise<CalendarItems<Item>>,
): () => Promise<AllItems<Item>> {
  let all: Promise<AllItems<Item>> | undefined;
  return () =>
    (all ??= read({ page: { limit: MAX_ITEMS, backward: false }, probe: false }).then(
      ({ rows, hasNextPage }) => ({ items: rows, truncated: hasNextPage }),
    ));
}
