import type { ParameterReader } from '../../../core/rest/parameters.ts';
import { feedOrderNames, parseFeedOrderField, type FeedOrder } from './feed-order.ts';

/** sort_by and sort_order (D-28, D-29): unknown columns are dropped, missing and unusable directions become A. */
export function readOrder(read: ParameterReader): FeedOrder[] {
  const columns = (read.text('sort_by') ?? '').split(',').map((name) => name.trim());
  const directions = (read.text('sort_order') ?? '')
    .split(',')
    .map((value) => value.trim().toUpperCase());
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
