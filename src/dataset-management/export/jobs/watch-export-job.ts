import type { StreamEnd } from '../../../core/context/change-follower.ts';
import type { SignedInContext } from '../../../core/context/context.ts';
import { AppError, NotFoundError } from '../../../core/errors.ts';
import { EventStream } from '../../../core/event-stream.ts';
import { isFinished, loadExportJob, type ExportJob } from './load-export-job.ts';

/** How often the job's row is read, in milliseconds: any gateway may be running it. */
const LOOK_EVERY = 500;

/**
 * A job of the viewer: at once as it is, again whenever its state or progress has changed, and for the last time when
 * it is over. GraphQL `exportJobChanged`. Throws NotFoundError for a job of somebody else; E202 when the session ends.
 */
export async function watchExportJob(
  ctx: SignedInContext,
  args: { jobId: string },
): Promise<EventStream<ExportJob>> {
  const viewer = ctx.viewer;
  if (!(await loadExportJob(ctx, args.jobId))) throw new NotFoundError('ExportJob');
  let sent = '';
  let last = false;
  let end: StreamEnd | undefined;
  let unwatch = (): void => {};
  let timer: NodeJS.Timeout | undefined;
  const stream = new EventStream<ExportJob>(
    async () => {
      while (!stream.done && !last) {
        if (end === 'SESSION_ENDED') throw new AppError('E202');
        if (end) return undefined;
        const job = await loadExportJob(ctx, args.jobId);
        if (!job) return undefined;
        const text = `${job.state} ${job.progress}`;
        if (text !== sent) {
          sent = text;
          last = isFinished(job);
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
  unwatch = await ctx.changes.watch({ ...viewer, lists: [], changed: () => {}, ended });
  return stream;
}
