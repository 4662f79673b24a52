import type { SignedInContext } from '../../../core/context/context.ts';
import { NotFoundError } from '../../../core/errors.ts';
import { loadAnnotationImport, type AnnotationImport } from './load-annotation-import.ts';
import { KEEP_MS } from './run-annotation-import.ts';

/**
 * Stops an import of the viewer: whichever gateway runs it writes at most the images that it is just writing. What is written
 * stays. One that is over stays as it is. GraphQL `cancelAnnotationImport`. Throws NotFoundError.
 */
export async function cancelAnnotationImport(
  ctx: SignedInContext,
  args: { jobId: string },
): Promise<AnnotationImport> {
  const id = args.jobId;
  if (!(await loadAnnotationImport(ctx, id))) throw new NotFoundError('AnnotationImport');
  const now = ctx.clock();
  const { annotationImport } = ctx.db.prisma;
  const { count } = await annotationImport.updateMany({
    where: { id, state: { in: ['QUEUED', 'RUNNING'] } },
    data: { state: 'CANCELLED', finishedAt: new Date(now), expiresAt: new Date(now + KEEP_MS) },
  });
  if (count > 0) {
    const { storageKey } = await annotationImport.findUniqueOrThrow({ where: { id } });
    await annotationImport.updateMany({ where: { id }, data: { storageKey: null } });
    if (storageKey !== null) await ctx.storage.delete(storageKey);
  }
  const job = await loadAnnotationImport(ctx, id);
  if (!job) throw new NotFoundError('AnnotationImport');
  return job;
}
