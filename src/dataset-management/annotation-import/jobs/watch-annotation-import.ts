import type { SignedInContext } from '../../../core/context/context.ts';
import { NotFoundError } from '../../../core/errors.ts';
import type { EventStream } from '../../../core/event-stream.ts';
import { watchJob } from '../../export/jobs/watch-job.ts';
import { loadAnnotationImport, type AnnotationImport } from './load-annotation-import.ts';

/**
 * A job of the viewer: at once as it is, again whenever its state or progress has changed, and for the last time when
 * it is over. GraphQL `annotationImportChanged`. Throws NotFoundError for a job of somebody else; E202 when the session ends.
 */
export async function watchAnnotationImport(
  ctx: SignedInContext,
  { jobId }: { jobId: string },
): Promise<EventStream<AnnotationImport>> {
  if (!(await loadAnnotationImport(ctx, jobId))) throw new NotFoundError('AnnotationImport');
  return watchJob(ctx, () => loadAnnotationImport(ctx, jobId));
}
