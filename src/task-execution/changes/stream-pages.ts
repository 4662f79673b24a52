import type { FeedEvent } from './found-feeds.ts';

/** Feeds read at a time: at first, and at most. */
const FIRST = 20;
const MOST = 500;
/** Characters of feeds that may wait for the reader of a stream, beside one feed of any size. */
const MOST_TEXT = 524_288;

/** How many feeds a stream reads at a time: as many as its reader may leave waiting, whose size is known from those before. */
export class StreamPages {
  /** How many to read next. */
  next = FIRST;

  /** The first events of a page, as many as may wait; the others are to be read again. */
  fitting(events: readonly FeedEvent[]): FeedEvent[] {
    if (events.length === 0) return [];
    let text = 0;
    let fit = 0;
    for (const event of events) if ((text += sizeOf(event)) <= MOST_TEXT) fit++;
    const next = Math.floor((MOST_TEXT * events.length) / text);
    this.next = Math.max(1, Math.min(next, 2 * this.next, MOST));
    return events.slice(0, Math.max(1, fit));
  }
}

function sizeOf(event: FeedEvent): number {
  if (event.kind === 'removed') return 0;
  return event.feed.row.cells.reduce((sum, cell) => sum + (cell?.length ?? 0), 0);
}
