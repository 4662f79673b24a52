import type { SignedInContext } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import { epochMillis } from '../../core/time.ts';
import { boundList } from '../feeds/selection/bound-filter.ts';
import type { FeedColumn } from '../feeds/fields/feed-columns.ts';
import type { FeedRow } from '../feeds/fields/feed-row.ts';
import { resolveFeedSelection, type FeedSelection } from '../feeds/selection/feed-selection.ts';
import { oldestChangeCursor, readLogHead } from '../change-log/change-log.ts';
import { encodeChangeCursor, type ChangePosition } from '../change-log/change-position.ts';
import { loadChangedFeeds } from './load-changed-feeds.ts';
import { readChanges, stretchesAfter } from './read-changes.ts';
import { findStart, readRefreshSettings, type ChangesSince } from './start-position.ts';

/** One object a poll, at most (D-42). */
export const MAX_CHANGES = 1_000;

/** Feeds that one poll may name, at most. */
const MAX_FEED_KEYS = 10_000;

/** Why a client has to reload although its position is known. */
export const LISTS_CHANGED = 'Your departments or unit have changed: reload with list';

/** What became of one feed. `cursor` is the position behind it; `changedAt` is in epoch milliseconds. */
export type FeedEvent =
  | { kind: 'upserted'; cursor: string; changedAt: number; feed: FeedRow }
  /** Deleted, no longer visible, or no longer matching the filter. */
  | { kind: 'removed'; cursor: string; changedAt: number; feedKey: number };

/** The client has to load its list anew. */
export interface ResyncEvent {
  kind: 'resync';
  reason: string;
  oldestCursor: string;
}

export interface ListFeedChangesArgs extends FeedSelection {
  since: ChangesSince;
  /** Only these feeds. */
  feedKeys?: readonly number[] | null | undefined;
  /** Feeds, 1 to MAX_CHANGES. */
  limit: number;
  /** Of them removed ones. */
  maxRemoved?: number;
  columns: Iterable<FeedColumn>;
}

export interface FeedChanges {
  /** In log order, one for each feed; a feed that changed several times stands at its last change. */
  events: FeedEvent[];
  /** Set instead of events. */
  resync?: ResyncEvent;
  /** Where to read on. */
  endCursor: string;
  /** More has changed already. */
  hasMore: boolean;
  /** Milliseconds to wait before the next poll. */
  nextPollAfterMs: number;
  /** Server clock before the read, epoch milliseconds. */
  lastFetchTime: number;
}

/**
 * What changed among the viewer's work items since a position or an instant, in the state of now. A feed may come twice in two calls, and none is ever
 * left out, whatever commits late (D-41). GraphQL `viewer.feedChanges`; REST GET /task/v1/feeds/list-latest. Throws E901 for a damaged cursor.
 */
export async function listFeedChanges(
  ctx: SignedInContext,
  args: ListFeedChangesArgs,
): Promise<FeedChanges> {
  if (args.limit < 1 || args.limit > MAX_CHANGES)
    throw new AppError('E900', { message: `first must be between 1 and ${MAX_CHANGES}` });
  boundList('feedKeys', args.feedKeys ?? [], MAX_FEED_KEYS);
  const lastFetchTime = ctx.clock();
  const head = await readLogHead(ctx.db);
  const [start, selection, { feedRefreshRate }] = await Promise.all([
    findStart(ctx, args.since, head),
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
