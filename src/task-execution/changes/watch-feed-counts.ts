import type { StreamEnd } from '../../core/context/change-follower.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import type { Day } from '../../core/time/days.ts';
import { countFeeds, type FeedCounts } from '../feeds/count-feeds.ts';
import { resolveFeedSelection, type FeedSelection } from '../feeds/selection/feed-selection.ts';
import { LISTS_CHANGED } from './list-feed-changes.ts';
import { EventStream } from '../../core/streams/event-stream.ts';

/** Minimum time between two counts, in milliseconds: counting costs more than a change. */
const PAUSE = 1_000;

/**
 * Counts by priority, like countFeeds: at once, and again whenever they have changed. GraphQL `feedCountsChanged`.
 * Throws E202 when the session ends, E116 when the viewer's departments, unit or time zone change: other feeds count then.
 */
export async function watchFeedCounts(
  ctx: SignedInContext,
  args: FeedSelection & { startDate: Day; endDate: Day },
): Promise<EventStream<FeedCounts>> {
  const { viewer } = ctx;
  const { lists } = await resolveFeedSelection(ctx, args);
  let dirty = true;
  let sent = '';
  let end: StreamEnd | undefined;
  let unwatch = (): void => {};
  const stream = new EventStream<FeedCounts>(
    async () => {
      while (!stream.done) {
        if (end === 'SESSION_ENDED') throw new AppError('E202');
        if (end === 'LISTS_CHANGED') throw new AppError('E116', { message: LISTS_CHANGED });
        if (end) return undefined;
        if (!dirty) {
          await stream.wait();
          if (dirty && !end) await new Promise((resolve) => setTimeout(resolve, PAUSE));
          continue;
        }
        dirty = false;
        const counts = await countFeeds(ctx, args);
        const text = JSON.stringify(counts);
        if (text === sent) continue;
        sent = text;
        return counts;
      }
      return undefined;
    },
    () => unwatch(),
    () => dirty || end !== undefined,
  );
  const finish = (reason: StreamEnd): void => {
    end ??= reason;
    unwatch();
    stream.wake();
  };
  unwatch = await ctx.changes.watch({
    ...viewer,
    lists,
    changed: () => {
      dirty = true;
      stream.wake();
    },
    ended: finish,
  });
  if (end) unwatch();
  return stream;
}
