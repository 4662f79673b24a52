import type { StreamEnd } from '../../../core/context/change-follower.ts';
import type { SignedInContext } from '../../../core/context/context.ts';
import { AppError } from '../../../core/errors.ts';
import { EventStream } from '../../../core/event-stream.ts';

/** How often the job's row is read, in milliseconds: any gateway may be running it. */
const LOOK_EVERY = 500;

/** A job in the background. */
interface Job {
  state: string;
  progress: number;
}

/**
 * A job: at once as it is, again whenever its state or progress has changed, and for the last time when it is over. `load`
 * gives it as long as the viewer may see it. Throws E202 when the session ends.
 */
export async function watchJob<T extends Job>(
  ctx: SignedInContext,
  load: () => Promise<T | null>,
): Promise<EventStream<T>> {
  let sent = '';
  let last = false;
  let end: StreamEnd | undefined;
  let unwatch = (): void => {};
  let timer: NodeJS.Timeout | undefined;
  const stream = new EventStream<T>(
    async () => {
      while (!stream.done && !last) {
        if (end === 'SESSION_ENDED') throw new AppError('E202');
        if (end) return undefined;
        const job = await load();
        if (!job) return undefined;
        const text = `${job.state} ${job.progress}`;
        if (text !== sent) {
          sent = text;
          last = job.state !== 'QUEUED' && job.state !== 'RUNNING';
          return job;
        }
        timer = setTimeout(() => stream.wake(), LOOK_EVERY);
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
