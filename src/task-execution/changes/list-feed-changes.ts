import type { RecentChanges } from '../../core/context/change-follower.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import { boundList } from '../feeds/selection/bound-filter.ts';
import type { FeedColumn } from '../feeds/fields/feed-columns.sql.ts';
import { resolveFeedSelection, type FeedSelection } from '../feeds/selection/feed-selection.ts';
import { oldestChangeCursor } from '../change-log/change-log.ts';
import { encodeChangeCursor, endOf, firstUnseen, sees } from '../change-log/change-position.ts';
import { FoundFeeds, type FeedEvent } from './found-feeds.ts';
import { stretchesAfter } from './read-changes.ts';
import { findStart, readRefreshSettings, TOO_OLD, type ChangesSince } from './start-position.ts';

/** Most feeds in one poll (D-42). */
export const MAX_CHANGES = 1_000;

/** Most feed keys that one poll may name. */
const MAX_FEED_KEYS = 10_000;

/** Why a client must reload although its position is valid. */
export const LISTS_CHANGED = 'Your departments or unit have changed: reload with list';

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
  const { domainId } = ctx.viewer;
  const readLog = (): Promise<RecentChanges> => ctx.changes.recent(domainId);
  const known = ctx.changes.known(domainId);
  const answer = await (known ? poll(ctx, args, known, readLog) : poll(ctx, args, await readLog()));
  const { feedRefreshRate } = await readRefreshSettings(ctx);
  return {
    ...answer,
    nextPollAfterMs: answer.hasMore ? 0 : feedRefreshRate,
    lastFetchTime,
  };
}

type Answer = Omit<FeedChanges, 'nextPollAfterMs' | 'lastFetchTime'>;

/**
 * The changes up to the end of the log that `recent` knows. With `readOn` this end may lie back a little: the log is read
 * on while the feeds are read that have changed up to there, and those that it names again are read again.
 */
async function poll(
  ctx: SignedInContext,
  args: ListFeedChangesArgs,
  recent: RecentChanges,
  readOn?: () => Promise<RecentChanges>,
): Promise<Answer> {
  const resync = async (reason: string): Promise<Answer> => {
    if (readOn) return poll(ctx, args, await readOn());
    const { logId, now } = recent.head;
    return {
      events: [],
      resync: { kind: 'resync', reason, oldestCursor: oldestChangeCursor(recent.head) },
      endCursor: encodeChangeCursor(logId, { from: now }),
      hasMore: false,
    };
  };
  const [start, selection] = await Promise.all([
    findStart(ctx, args.since, recent),
    resolveFeedSelection(ctx, args),
  ]);
  if ('reason' in start) return resync(start.reason);
  if (readOn && !sees(recent.head.now, endOf(start))) return poll(ctx, args, await readOn());

  const { feedKeys, limit, maxRemoved, columns } = args;
  const wanted = { selection, feedKeys: feedKeys ?? undefined, limit, maxRemoved, columns };
  const found = new FoundFeeds(ctx, wanted, start);
  const isFirstFetch = 'fromTime' in args.since && args.since.fromTime === 0;
  for (const stretch of stretchesAfter(start, recent.head.now))
    if ((await found.find(stretch, recent)).listsChanged && !isFirstFetch)
      return resync(LISTS_CHANGED);
  const [now] = await Promise.all([readOn?.(), found.read()]);
  if (now) {
    const [{ head: before }, { head }] = [recent, now];
    const isSameLog = head.logId === before.logId && sees(head.now, before.now);
    if (!isSameLog || firstUnseen(start.from) < head.horizonXid) return resync(TOO_OLD);
    const stretch = { from: before.now, to: head.now, xid: 0, seq: 0 };
    if ((await found.find(stretch, now)).listsChanged && !isFirstFetch)
      return resync(LISTS_CHANGED);
    await found.read();
  }
  return found.events(recent.head.logId);
}
