import type { RecentChanges } from '../../core/context/change-follower.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import { epochMillis } from '../../core/time/instant-text.ts';
import { encodeChangeCursor, type ChangePosition } from '../change-log/change-position.ts';
import type { FeedColumn } from '../feeds/fields/feed-columns.sql.ts';
import type { FeedRow } from '../feeds/fields/feed-row.ts';
import type { ResolvedSelection } from '../feeds/selection/feed-selection.ts';
import { loadChangedFeeds } from './load-changed-feeds.ts';
import { readChanges, type LogStretch } from './read-changes.ts';

/** The change of one feed. `cursor` is the position after it; `changedAt` is in epoch milliseconds. */
export type FeedEvent =
  | { kind: 'upserted'; cursor: string; changedAt: number; feed: FeedRow }
  /** Deleted, no longer visible, or no longer matching the filter. */
  | { kind: 'removed'; cursor: string; changedAt: number; feedKey: number };

/** The change of a feed, which is undefined where the viewer does not see it now. */
export function feedEvent(
  feedKey: number,
  feed: FeedRow | undefined,
  change: { cursor: string; changedAt: string },
): FeedEvent {
  const event = { cursor: change.cursor, changedAt: epochMillis(change.changedAt) };
  return feed ? { kind: 'upserted', ...event, feed } : { kind: 'removed', ...event, feedKey };
}

/** What a poll wants to know of them. */
export interface WantedChanges {
  /** Only these feeds. */
  feedKeys?: readonly number[] | null | undefined;
  /** Maximum number of feeds. */
  limit: number;
  /** Maximum number of removed feeds among them. */
  maxRemoved?: number;
  columns: Iterable<FeedColumn>;
}

type Wanted = WantedChanges & { selection: ResolvedSelection };

/** The feeds whose changes a poll finds, each at its last change. */
export class FoundFeeds {
  /** There is more than was wanted. */
  hasMore = false;
  readonly #ctx: SignedInContext;
  readonly #wanted: Wanted;
  readonly #start: ChangePosition;
  #end: ChangePosition;
  readonly #found = new Map<number, { at: ChangePosition; changedAt: string }>();
  /** Found since the last read. */
  readonly #unread = new Set<number>();
  readonly #rows = new Map<number, FeedRow>();

  constructor(ctx: SignedInContext, wanted: Wanted, start: ChangePosition) {
    this.#ctx = ctx;
    this.#wanted = wanted;
    this.#start = this.#end = start;
  }

  /** Adds what has changed in the next part of the log, as far as there is room. Were the lists of the viewer changed? */
  async find(stretch: LogStretch, recent: RecentChanges): Promise<{ listsChanged: boolean }> {
    const { selection, feedKeys, limit } = this.#wanted;
    const of = { lists: selection.lists, feedKeys: feedKeys ?? undefined, limit, recent };
    const { changes, readTo } = await readChanges(this.#ctx, stretch, of);
    const listsChanged = changes.some((change) => change.listsChanged);
    if (this.hasMore) return { listsChanged };
    const { from, to } = stretch;
    let last: ChangePosition | undefined;
    for (const { feedKey, listsChanged: ofLists, xid, seq, changedAt } of changes) {
      if (ofLists) continue;
      if (!this.#found.has(feedKey) && this.#found.size === limit) {
        this.hasMore = true;
        break;
      }
      last = { from, to, xid, seq };
      this.#found.delete(feedKey);
      this.#found.set(feedKey, { at: last, changedAt });
      this.#unread.add(feedKey);
    }
    if (this.hasMore) this.#end = last ?? { from };
    else if (readTo) [this.hasMore, this.#end] = [true, { from, to, ...readTo }];
    else this.#end = { from: to };
    return { listsChanged };
  }

  /** Reads those found since the last call as they are now. */
  async read(): Promise<void> {
    const keys = [...this.#unread];
    this.#unread.clear();
    const { selection, columns } = this.#wanted;
    const rows = await loadChangedFeeds(this.#ctx, selection, keys, columns);
    for (const key of keys) this.#rows.delete(key);
    for (const [key, row] of rows) this.#rows.set(key, row);
  }

  /**
   * The changes in log order, and the position after them. If they have too many removed feeds it is that before the
   * first that is left out: what comes behind it comes again. So who knows of no positions still has every feed.
   */
  events(logId: string): { events: FeedEvent[]; endCursor: string; hasMore: boolean } {
    const events: FeedEvent[] = [];
    let removed = 0;
    let before = this.#start;
    let end: ChangePosition | undefined;
    for (const [feedKey, { at, changedAt }] of this.#found) {
      const feed = this.#rows.get(feedKey);
      if (feed || removed++ < (this.#wanted.maxRemoved ?? Infinity))
        events.push(feedEvent(feedKey, feed, { cursor: encodeChangeCursor(logId, at), changedAt }));
      else end ??= before;
      before = at;
    }
    return {
      events,
      endCursor: encodeChangeCursor(logId, end ?? this.#end),
      hasMore: this.hasMore || end !== undefined,
    };
  }
}
