import type { SignedInContext } from '../../../core/context/context.ts';
import { NotFoundError } from '../../../core/errors.ts';
import { loadExportJob, type ExportJob } from './load-export-job.ts';
import { KEEP_MS } from './run-export-job.ts';

/**
 * Stops an export of the viewer; whichever gateway runs it learns that within a second and removes what it has written.
 * One that is over stays as it is, with its archive. GraphQL `cancelExport`. Throws NotFoundError.
 */
export async function cancelExport(
  ctx: SignedInContext,
  args: { jobId: string },
): Promise<ExportJob> {
  if (!(await loadExportJob(ctx, args.jobId))) throw new NotFoundError('ExportJob');
  const now = ctx.clock();
  await ctx.db.prisma.exportJob.updateMany({
    where: { id: args.jobId, state: { in: ['QUEUED', 'RUNNING'] } },
    data: {
      state: 'CANCELLED',
      finishedAt: new Date(now),
      expiresAt: new Date(now + KEEP_MS),
    },
  });
  const job = await loadExportJob(ctx, args.jobId);
  if (!job) throw new NotFoundError('ExportJob');
  return job;
}
