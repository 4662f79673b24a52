import type { SignedInContext } from '../../../core/context/context.ts';
import { NotFoundError } from '../../../core/errors.ts';
import type { EventStream } from '../../../core/event-stream.ts';
import { watchJob } from './watch-job.ts';
import { loadExportJob, type ExportJob } from './load-export-job.ts';

/**
 * A job of the viewer: at once as it is, again whenever its state or progress has changed, and for the last time when
 * it is over. GraphQL `exportJobChanged`. Throws NotFoundError for a job of somebody else; E202 when the session ends.
 */
export async function watchExportJob(
  ctx: SignedInContext,
  { jobId }: { jobId: string },
): Promise<EventStream<ExportJob>> {
  if (!(await loadExportJob(ctx, jobId))) throw new NotFoundError('ExportJob');
  return watchJob(ctx, () => loadExportJob(ctx, jobId));
}
