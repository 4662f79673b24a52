import type { SignedInContext } from '../../core/context/context.ts';
import type { Cell, Row } from '../../core/wire/wire.ts';
import { decodeCursor, encodeCursor } from '../../core/lists/cursors.ts';
import type { Page } from '../../core/lists/pagination.ts';
import { instantOf } from '../../core/lists/sort-column.ts';
import { wallClock } from '../../core/time/wall-clock.ts';
import { feedPage, feedsBehind } from './feed-pages.sql.ts';
import type { FeedColumn } from './fields/feed-columns.sql.ts';
import type { FeedReading } from './fields/feed-codecs.ts';
import { feedLayout, FeedRow, type FeedLayout } from './fields/feed-row.ts';
import type { FeedSettings } from './selection/feed-settings.ts';
import type { FeedRows, ListPart, Step } from './selection/list-ranges.sql.ts';

export interface FeedPageQuery extends FeedRows {
  columns: Iterable<FeedColumn>;
  /**
   * Also find out whether there are rows on the other side of the page, against the paging direction (one more
   * look-up). Only then does the page know that.
   */
  probe: boolean;
  settings: FeedSettings;
}

/** Values of the first column that are read one by one; where these don't fill the page, each has few rows. */
const MOST_VALUES = 8;

/**
 * Reads one page. Each source and each keyset branch is an index range read with a limit; their union, without
 * duplicates of feeds in several sources, is ordered and cut. So page 10,000 costs as much as page 1. An order whose
 * first column has few different values is read value by value, since no index could serve all possible orders; one
 * value almost always fills the page, so this is usually one statement too; after a few values, the others are read at
 * once. A list that is read in parts takes a statement for each until the page is full.
 */
export async function readFeedPage(
  ctx: SignedInContext,
  query: FeedPageQuery,
): Promise<Page<FeedRow>> {
  const { viewer } = ctx;
  const { order, page } = query;
  const position = page.cursor === undefined ? undefined : decodeCursor(order, page);
  const layout = feedLayout(query.columns);
  const named = { user: viewer.userId, overdueBefore: query.settings.overdueBefore };
  const reading = { now: ctx.clock(), clock: wallClock(viewer.timeZone) };
  const wanted = page.limit + 1;

  let behind =
    position === undefined || query.sources.length === 0 ? false : query.probe ? undefined : true;
  const found: Row[] = [];
  const byValue = order.length > 2 && order[0]?.fewValues === true;
  const parts = partsAhead(query, position?.[0]);
  let values = 0;
  let step: Step | undefined = byValue
    ? { position, leading: position ? { at: position[0] ?? '' } : { first: true } }
    : { position, part: parts.shift() };
  while (step && query.sources.length > 0 && found.length < wanted) {
    const probe = query.probe && step.position ? position : undefined;
    const rows = await feedPage.read(ctx.reads, { query, layout, step, probe, named });
    if (step.position && query.probe && rows[0]) behind = rows[0].cells.at(-1) === 't';
    found.push(...rows);
    const leading: Cell | undefined =
      step.leading && ('at' in step.leading ? step.leading.at : rows[0]?.cells[layout.width]);
    const part = parts.shift();
    step =
      leading != null
        ? {
            position: undefined,
            ...(++values < MOST_VALUES ? { leading: { beyond: leading } } : { beyond: leading }),
          }
        : part && { position: undefined, part };
  }
  if (behind === undefined && position) {
    const [row] = await feedsBehind.read(ctx.reads, { query, position, named });
    behind = row?.cells[0] === 't';
  }

  return toPage(found, { order, page, layout, reading, behind: behind === true });
}

/** The parts of a list in reading direction, from that of a value of its first column on. */
function partsAhead({ order, page, parts = [] }: FeedRows, value: string | undefined): ListPart[] {
  const at = value === undefined ? undefined : instantOf(value);
  const reversed = page.backward !== (order[0]?.descending === true);
  const ahead = parts.filter(
    ({ from, until }) => at === undefined || (reversed ? from <= at : at < until),
  );
  return reversed ? ahead.reverse() : ahead;
}

/**
 * Makes the page from the rows that were read, in reading direction and with one extra row if there are more. Each row
 * has the columns of the order after those of the layout.
 */
export function toPage(
  found: readonly Row[],
  {
    order,
    page,
    layout,
    reading,
    behind,
  }: Pick<FeedPageQuery, 'order' | 'page'> & {
    layout: FeedLayout;
    reading: FeedReading;
    behind: boolean;
  },
): Page<FeedRow> {
  const ahead = found.length > page.limit;
  const kept = found.slice(0, page.limit);
  if (page.backward) kept.reverse();
  return {
    rows: kept.map((row) => new FeedRow(row, layout, reading)),
    cursor: ({ row }) => encodeCursor(order, row.slice(layout.width, layout.width + order.length)),
    hasNextPage: page.backward ? behind : ahead,
    hasPreviousPage: page.backward ? ahead : behind,
  };
}
