import type { StreamEnd } from '../context/change-follower.ts';
import type { SignedInContext } from '../context/context.ts';
import { AppError } from '../errors.ts';
import { EventStream } from './event-stream.ts';

interface Look<T> {
  /** Milliseconds between two looks. */
  every: number;
  /** The next event; null if there is none yet, undefined if there will be none any more. */
  look: () => Promise<T | null | undefined>;
  /** Whether the last event was given. */
  isOver?: () => boolean;
}

/**
 * A stream of what is found by looking into the database again and again, because any gateway may write it. Throws E202
 * when the session ends, E902 for too many streams.
 */
export async function lookAgain<T>(
  ctx: SignedInContext,
  { every, look, isOver = () => false }: Look<T>,
): Promise<EventStream<T>> {
  let end: StreamEnd | undefined;
  let unwatch = (): void => {};
  let timer: NodeJS.Timeout | undefined;
  const stream = new EventStream<T>(
    async () => {
      while (!stream.done && !isOver()) {
        if (end === 'SESSION_ENDED') throw new AppError('E202');
        if (end) return undefined;
        const found = await look();
        // What was found after the session has ended is told to nobody.
        if (end) continue;
        if (found !== null) return found;
        timer = setTimeout(() => stream.wake(), every);
        await stream.wait();
        clearTimeout(timer);
      }
      return undefined;
    },
    () => {
      clearTimeout(timer);
      unwatch();
    },
  );
  const ended = (reason: StreamEnd): void => {
    if (reason === 'LISTS_CHANGED') return;
    end ??= reason;
    stream.wake();
  };
  // Counts as a stream of the session, and ends with it.
  unwatch = await ctx.changes.watch({ ...ctx.viewer, lists: [], changed: () => {}, ended });
  return stream;
}
