import type { SignedInContext } from '../../../core/context/context.ts';
import { NotFoundError } from '../../../core/errors.ts';
import type { EventStream } from '../../../core/streams/event-stream.ts';
import { lookAgain } from '../../../core/streams/look-again.ts';

/** How often the job's row is read, in milliseconds. */
const LOOK_EVERY = 500;

/** A job in the background. */
interface Job {
  state: string;
  progress: number;
}

/**
 * A job of the viewer: at once as it is, again whenever its state or progress has changed, and for the last time when it is
 * over. `load` gives it as long as the viewer may see it. GraphQL `exportJobChanged`, `annotationImportChanged`. Throws
 * NotFoundError for a job of somebody else; E202 when the session ends.
 */
export async function watchJob<T extends Job>(
  ctx: SignedInContext,
  { typename, jobId }: { typename: string; jobId: string },
  load: (ctx: SignedInContext, jobId: string) => Promise<T | null>,
): Promise<EventStream<T>> {
  if (!(await load(ctx, jobId))) throw new NotFoundError(typename);
  let sent = '';
  let last = false;
  return lookAgain<T>(ctx, {
    every: LOOK_EVERY,
    isOver: () => last,
    look: async () => {
      const job = await load(ctx, jobId);
      if (!job) return undefined;
      const text = `${job.state} ${job.progress}`;
      if (text === sent) return null;
      sent = text;
      last = job.state !== 'QUEUED' && job.state !== 'RUNNING';
      return job;
    },
  });
}
