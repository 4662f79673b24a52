import type { Page, PageRequest } from '../../core/lists/pagination.ts';
import type { FeedRow } from '../feeds/fields/feed-row.ts';
import { MAX_ITEMS } from './open-calendar.ts';

/** Which items to read; `probe`: see FeedPageQuery. */
export interface ItemsArgs {
  page: PageRequest;
  probe: boolean;
}

/** Makes the items of a page of feeds. */
export function itemsOf<Item>(page: Page<FeedRow>, make: (row: FeedRow) => Item): Page<Item> {
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
  read: (args: ItemsArgs) => Promise<Page<Item>>,
): () => Promise<AllItems<Item>> {
  let all: Promise<AllItems<Item>> | undefined;
  return () =>
    (all ??= read({ page: { limit: MAX_ITEMS, backward: false }, probe: false }).then(
      ({ rows, hasNextPage }) => ({ items: rows, truncated: hasNextPage }),
    ));
}
