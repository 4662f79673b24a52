import type { ParameterReader } from '../../../core/rest/parameters.ts';
import { feedOrderNames, parseFeedOrderField, type FeedOrder } from './feed-order.ts';

/** Most items that are read of either: there are six columns, and of one that comes again the first counts. */
const MOST_ITEMS = 100;

/** sort_by and sort_order (D-28, D-29): unknown columns are dropped, missing and unusable directions become A. */
export function readOrder(read: ParameterReader): FeedOrder[] {
  const itemsOf = (name: string): string[] =>
    (read.text(name) ?? '').split(',', MOST_ITEMS).map((item) => item.trim());
  const columns = itemsOf('sort_by');
  const directions = itemsOf('sort_order').map((value) => value.toUpperCase());
  if (!columns.some((name) => name !== '')) {
    if (read.sent('sort_order')) read.ignore('sort_order', 'goes with sort_by');
    return [];
  }
  if (
    directions.some((value) => value !== 'A' && value !== 'D' && value !== '') ||
    directions.length > columns.length
  )
    read.ignore('sort_order', 'must be A or D, one for each sort column');
  return columns.flatMap((name, index) => {
    const field = parseFeedOrderField(name);
    if (!field) read.ignore('sort_by', `may name ${feedOrderNames.join(', ')}`);
    return field
      ? [{ field, direction: directions[index] === 'D' ? ('DESC' as const) : ('ASC' as const) }]
      : [];
  });
}
