import type { Day } from '../../core/time/days.ts';
import type { FeedColumn } from '../feeds/fields/feed-columns.sql.ts';
import type { FeedRow } from '../feeds/fields/feed-row.ts';

/** Text of a column; null when it has none. */
export function textOf(row: FeedRow, column: FeedColumn): string | null {
  const value = row.get(column);
  return typeof value === 'string' ? value : null;
}

/** The day in a column with wall time or a day. */
export function dayOf(row: FeedRow, column: FeedColumn): Day | null {
  return textOf(row, column)?.slice(0, 10).replaceAll('-', '') ?? null;
}

/** Number of a column; null when it has none. */
export function numberOf(row: FeedRow, column: FeedColumn): number | null {
  const value = row.get(column);
  return typeof value === 'number' ? value : null;
}
