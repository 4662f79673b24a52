import type { RecentChanges } from '../../core/context/change-follower.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import {
  resolveFeedSelection,
  type FeedSelection,
  type ResolvedSelection,
} from '../feeds/selection/feed-selection.ts';
import { oldestChangeCursor } from '../change-log/change-log.ts';
import { encodeChangeCursor, endOf, firstUnseen, sees } from '../change-log/change-position.ts';
import { FoundFeeds, type FeedEvent, type WantedChanges } from './found-feeds.ts';
import { stretchesAfter } from './read-changes.ts';
import { findStart, readRefreshSettings, type ChangesSince } from './start-position.ts';

/** Most feeds in one poll (D-42). */
export const MAX_CHANGES = 1_000;

/** Why a client must reload although its position is valid. */
export const LISTS_CHANGED = 'Your departments, unit or time zone have changed: reload with list';

/** The client has to load its list again. */
export interface ResyncEvent {
  kind: 'resync';
  reason: string;
  oldestCursor: string;
}

/** `limit` is 1 to MAX_CHANGES. */
export interface ListFeedChangesArgs extends FeedSelection, WantedChanges {
  since: ChangesSince;
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
  const lastFetchTime = ctx.clock();
  const { domainId } = ctx.viewer;
  const readLog = (): Promise<RecentChanges> => ctx.changes.recent(domainId);
  const known = isFirstFetch(args) ? undefined : ctx.changes.known(domainId);
  const [selection, { feedRefreshRate }, recent] = await Promise.all([
    resolveFeedSelection(ctx, args),
    readRefreshSettings(ctx),
    known ?? readLog(),
  ]);
  const answer = await poll(ctx, { ...args, selection }, recent, known && readLog);
  return {
    ...answer,
    nextPollAfterMs: answer.hasMore ? 0 : feedRefreshRate,
    lastFetchTime,
  };
}

type Answer = Omit<FeedChanges, 'nextPollAfterMs' | 'lastFetchTime'>;

/**
 * The changes up to the end of the log that `recent` knows. With `readOn` this may be half a minute old: the log is read on
 * while the feeds are read that have changed up to there, and those that it names then are read again.
 */
async function poll(
  ctx: SignedInContext,
  args: ListFeedChangesArgs & { selection: ResolvedSelection },
  recent: RecentChanges,
  readOn?: () => Promise<RecentChanges>,
): Promise<Answer> {
  const start = await findStart(ctx, args.since, recent);
  const isKnown = !('reason' in start) && sees(recent.head.now, endOf(start));
  if (readOn && !isKnown) return poll(ctx, args, await readOn());
  if ('reason' in start) return resync(start.reason, recent);

  const found = new FoundFeeds(ctx, args, start);
  for (const stretch of stretchesAfter(start, recent.head.now)) {
    const { listsChanged } = await found.find(stretch, recent);
    if (listsChanged && !isFirstFetch(args)) return resync(LISTS_CHANGED, recent);
    if (found.hasMore) break;
  }
  const [now] = await Promise.all([readOn?.(), found.read()]);
  if (now) {
    const isContinued = now.log === recent.log && firstUnseen(start.from) >= now.head.horizonXid;
    if (!isContinued) return poll(ctx, args, now);
    const stretch = { from: recent.head.now, to: now.head.now, xid: 0, seq: 0 };
    if ((await found.find(stretch, now)).listsChanged) return resync(LISTS_CHANGED, now);
    await found.read();
  }
  return found.events(recent.head.logId);
}

const isFirstFetch = ({ since }: ListFeedChangesArgs): boolean =>
  'fromTime' in since && since.fromTime === 0;

const resync = (reason: string, { head }: RecentChanges): Answer => ({
  events: [],
  resync: { kind: 'resync', reason, oldestCursor: oldestChangeCursor(head) },
  endCursor: encodeChangeCursor(head.logId, { from: head.now }),
  hasMore: false,
});
