import type { ChangePlace, StreamEnd } from '../../core/context/change-follower.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import { TypedParams } from '../../core/sql/statement.ts';
import type { FeedColumn } from '../feeds/fields/feed-columns.sql.ts';
import { resolveFeedSelection, type FeedSelection } from '../feeds/selection/feed-selection.ts';
import { oldestChangeCursor, readLogHead } from '../change-log/change-log.ts';
import { encodeChangeCursor } from '../change-log/change-position.ts';
import { EventStream } from '../../core/streams/event-stream.ts';
import { feedEvent, type FeedEvent } from './found-feeds.ts';
import { LISTS_CHANGED, listFeedChanges, type ResyncEvent } from './list-feed-changes.ts';
import { loadChangedFeeds } from './load-changed-feeds.ts';
import { loadLiveFeeds } from './load-live-feeds.ts';
import { StreamPages } from './stream-pages.ts';

/** Most feeds that wait for a slow reader; beyond that, they are dropped and read from the log again. */
const MAX_WAITING = 1_000;

/** The last event of a stream that the server ends; `cursor` is the position to continue from. */
export interface StreamEndedEvent {
  kind: 'ended';
  cursor: string;
  reason: Exclude<StreamEnd, 'SESSION_ENDED' | 'LISTS_CHANGED'>;
}

export type FeedStreamEvent = FeedEvent | ResyncEvent | StreamEndedEvent;

export interface WatchFeedChangesArgs extends FeedSelection {
  /** Position after which all changes are sent first; without it, the stream starts now. */
  after?: string | null | undefined;
  columns: Iterable<FeedColumn>;
}

/**
 * The viewer's changes as they commit, after those since a position: with the events and cursors of listFeedChanges.
 * Buffers at most a page of feeds, which is small where these are large, and a thousand keys; the rest is read from the
 * log again when the reader continues. A reader that takes nothing for the stall time while something waits gets a
 * StreamEndedEvent as its last. GraphQL `feedChanged`. Throws E901 for a malformed cursor and E202 when the session
 * ends.
 */
export async function watchFeedChanges(
  ctx: SignedInContext,
  args: WatchFeedChangesArgs,
): Promise<EventStream<FeedStreamEvent>> {
  const { viewer } = ctx;
  const columns = [...args.columns];
  const selection = await resolveFeedSelection(ctx, args);
  // Together with the feeds of other streams, unless there is a filter to evaluate.
  const hasFilter = selection.conditions(new TypedParams()).length > 0;
  const load = (keys: readonly number[]): ReturnType<typeof loadLiveFeeds> =>
    hasFilter
      ? loadChangedFeeds(ctx, selection, keys, columns)
      : loadLiveFeeds(ctx, selection.lists, keys, columns);
  const waiting = new Map<number, { place: ChangePlace; changedAt: string }>();
  const pages = new StreamPages();
  let ready: FeedStreamEvent[] = [];
  let replaying = args.after != null;
  let overflowed = false;
  let end: StreamEnd | undefined;
  /** Position after what the reader has received. */
  let cursor = args.after ?? '';
  let logId = '';

  const readLog = async (): Promise<void> => {
    overflowed = false;
    const page = await listFeedChanges(ctx, {
      ...args,
      since: { cursor },
      limit: pages.next,
      columns,
    });
    if (page.resync) {
      ready = [page.resync];
      return;
    }
    ready = pages.fitting(page.events);
    if (page.events.length === 0) cursor = page.endCursor;
    replaying = page.hasMore || ready.length < page.events.length || overflowed;
  };
  const readWaiting = async (): Promise<void> => {
    const batch = [...waiting].slice(0, pages.next);
    const feeds = await load(batch.map(([feedKey]) => feedKey));
    const events = batch.map(([feedKey, { place, changedAt }]) => {
      const cursor = encodeChangeCursor(logId, place);
      return feedEvent(feedKey, feeds.get(feedKey), { cursor, changedAt });
    });
    ready = pages.fitting(events);
    // The others wait for the next page, as does what has changed again meanwhile.
    for (const [feedKey, change] of batch.slice(0, ready.length))
      if (waiting.get(feedKey) === change) waiting.delete(feedKey);
  };
  const lastEvent = async (reason: StreamEnd): Promise<FeedStreamEvent> => {
    if (reason === 'SESSION_ENDED') throw new AppError('E202');
    if (reason !== 'LISTS_CHANGED') {
      stream.resumable = true;
      return { kind: 'ended', cursor, reason };
    }
    return {
      kind: 'resync',
      reason: LISTS_CHANGED,
      oldestCursor: oldestChangeCursor(await readLogHead(ctx.db, [ctx.viewer.domainId])),
    };
  };

  let over = false;
  let pulling = false;
  let handedAt = performance.now();
  const pull = async (): Promise<FeedStreamEvent | undefined> => {
    while (!stream.done && !over) {
      if (end) {
        over = true;
        return lastEvent(end);
      }
      const event = ready.shift();
      if (event) {
        if (event.kind === 'resync') over = true;
        else cursor = event.cursor;
        return event;
      }
      if (replaying) await readLog();
      else if (waiting.size > 0) await readWaiting();
      else await stream.wait();
    }
    return undefined;
  };
  const stream = new EventStream<FeedStreamEvent>(
    async () => {
      pulling = true;
      try {
        return await pull();
      } finally {
        [pulling, handedAt] = [false, performance.now()];
      }
    },
    () => finish('SHUTDOWN'),
    () => over || end !== undefined || ready.length > 0 || replaying || waiting.size > 0,
  );
  const finish = (reason: StreamEnd): void => {
    end ??= reason;
    ready = [];
    waiting.clear();
    unwatch();
    stream.wake();
  };
  let unwatch = (): void => {};
  unwatch = await ctx.changes.watch({
    ...viewer,
    lists: selection.lists,
    changed: (feedKey, place, changedAt) => {
      if (end) return;
      // An idle reader is not slow: its time counts from the first change that waits.
      if (ready.length === 0 && waiting.size === 0) handedAt = performance.now();
      else if (!pulling && performance.now() - handedAt > ctx.config.streamStallMs)
        return finish('TOO_SLOW');
      waiting.delete(feedKey);
      if (waiting.size >= MAX_WAITING) {
        waiting.clear();
        ready = [];
        replaying = true;
        overflowed = true;
      }
      if (!overflowed) waiting.set(feedKey, { place, changedAt });
      stream.wake();
    },
    ended: finish,
  });
  if (end) unwatch();
  try {
    const head = await readLogHead(ctx.db, [ctx.viewer.domainId]);
    logId = head.logId;
    if (cursor === '') cursor = encodeChangeCursor(logId, { from: head.now });
  } catch (error) {
    unwatch();
    throw error;
  }
  return stream;
}
