import type { SignedInContext } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import { epochMillis } from '../../core/time/instant-text.ts';
import { boundList } from '../feeds/selection/bound-filter.ts';
import type { FeedColumn } from '../feeds/fields/feed-columns.sql.ts';
import type { FeedRow } from '../feeds/fields/feed-row.ts';
import { resolveFeedSelection, type FeedSelection } from '../feeds/selection/feed-selection.ts';
import { oldestChangeCursor } from '../change-log/change-log.ts';
import { encodeChangeCursor, type ChangePosition } from '../change-log/change-position.ts';
import { loadChangedFeeds } from './load-changed-feeds.ts';
import { readChanges, stretchesAfter } from './read-changes.ts';
import { findStart, readRefreshSettings, type ChangesSince } from './start-position.ts';

/** Most feeds in one poll (D-42). */
export const MAX_CHANGES = 1_000;

/** Most feed keys that one poll may name. */
const MAX_FEED_KEYS = 10_000;

/** Why a client must reload although its position is valid. */
export const LISTS_CHANGED = 'Your departments or unit have changed: reload with list';

/** The change of one feed. `cursor` is the position after it; `changedAt` is in epoch milliseconds. */
export type FeedEvent =
  | { kind: 'upserted'; cursor: string; changedAt: number; feed: FeedRow }
  /** Deleted, no longer visible, or no longer matching the filter. */
  | { kind: 'removed'; cursor: string; changedAt: number; feedKey: number };

/** The client has to load its list again. */
export interface ResyncEvent {
  kind: 'resync';
  reason: string;
  oldestCursor: string;
}

export interface ListFeedChangesArgs extends FeedSelection {
  since: ChangesSince;
  /** Only these feeds. */
  feedKeys?: readonly number[] | null | undefined;
  /** Maximum number of feeds, 1 to MAX_CHANGES. */
  limit: number;
  /** Maximum number of removed feeds among them. */
  maxRemoved?: number;
  columns: Iterable<FeedColumn>;
}

export interface FeedChanges {
  /** In log order, one per feed; a feed that changed several times is at its last change. */
  events: FeedEvent[];
  /** Set instead of events. */
  resync?: ResyncEvent;
  /** Position to continue from. */
  endCursor: string;
  /** There are more changes to read now. */
  hasMore: boolean;
  /** Milliseconds to wait before the next poll. */
  nextPollAfterMs: number;
  /** Server time before the read, in epoch milliseconds. */
  lastFetchTime: number;
}

/**
 * Changes among the viewer's work items since a position or an instant, with the current state of each feed. The same
 * feed may appear in two calls, but no change is ever left out, however late it commits (D-41). GraphQL
 * `viewer.feedChanges`; REST GET /task/v1/feeds/list-latest. Throws E901 for a malformed cursor.
 */
export async function listFeedChanges(
  ctx: SignedInContext,
  args: ListFeedChangesArgs,
): Promise<FeedChanges> {
  if (args.limit < 1 || args.limit > MAX_CHANGES)
    throw new AppError('E900', { message: `first must be between 1 and ${MAX_CHANGES}` });
  boundList('feedKeys', args.feedKeys ?? [], MAX_FEED_KEYS);
  const lastFetchTime = ctx.clock();
  const recent = await ctx.changes.recent(ctx.viewer.domainId);
  const { head } = recent;
  const [start, selection, { feedRefreshRate }] = await Promise.all([
    findStart(ctx, args.since, recent),
    resolveFeedSelection(ctx, args),
    readRefreshSettings(ctx),
  ]);
  const resync = (reason: string): FeedChanges => ({
    events: [],
    resync: { kind: 'resync', reason, oldestCursor: oldestChangeCursor(head) },
    endCursor: encodeChangeCursor(head.logId, { from: head.now }),
    hasMore: false,
    nextPollAfterMs: feedRefreshRate,
    lastFetchTime,
  });
  if ('reason' in start) return resync(start.reason);

  const found = new Map<number, { at: ChangePosition; changedAt: string }>();
  let end: ChangePosition = { from: head.now };
  let hasMore = false;
  const isFirstFetch = 'fromTime' in args.since && args.since.fromTime === 0;
  for (const stretch of stretchesAfter(start, head.now)) {
    const { changes, readTo } = await readChanges(ctx, stretch, {
      lists: selection.lists,
      feedKeys: args.feedKeys ?? undefined,
      limit: args.limit,
      recent,
    });
    if (changes.some((change) => change.listsChanged) && !isFirstFetch)
      return resync(LISTS_CHANGED);
    let last: ChangePosition | undefined;
    for (const { feedKey, listsChanged, xid, seq, changedAt } of changes) {
      if (listsChanged) continue;
      if (!found.has(feedKey) && found.size === args.limit) {
        hasMore = true;
        break;
      }
      found.delete(feedKey);
      last = { from: stretch.from, to: stretch.to, xid, seq };
      found.set(feedKey, { at: last, changedAt });
    }
    if (hasMore) end = last ?? { from: stretch.from };
    else if (readTo) [hasMore, end] = [true, { from: stretch.from, to: stretch.to, ...readTo }];
    if (hasMore) break;
  }

  const feeds = await loadChangedFeeds(ctx, selection, [...found.keys()], args.columns);
  const events: FeedEvent[] = [];
  let removed = 0;
  let before: ChangePosition = start;
  for (const [feedKey, { at, changedAt }] of found) {
    const feed = feeds.get(feedKey);
    if (!feed && removed++ === args.maxRemoved) {
      [hasMore, end] = [true, before];
      break;
    }
    const event = { cursor: encodeChangeCursor(head.logId, at), changedAt: epochMillis(changedAt) };
    events.push(
      feed ? { kind: 'upserted', ...event, feed } : { kind: 'removed', ...event, feedKey },
    );
    before = at;
  }
  return {
    events,
    endCursor: encodeChangeCursor(head.logId, end),
    hasMore,
    nextPollAfterMs: hasMore ? 0 : feedRefreshRate,
    lastFetchTime,
  };
}
