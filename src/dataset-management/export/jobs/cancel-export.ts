import type { Context } from '../../../core/context/context.ts';
import { NotFoundError } from '../../../core/errors.ts';
import { loadExportJob, type ExportJob } from './load-export-job.ts';
import { KEEP_MS } from './run-export-job.ts';

/**
 * Stops an export of the viewer; whichever gateway runs it learns that within a second and removes what it has written. One that is over stays as it is, with its
 * archive. GraphQL `cancelExport`. Throws NotFoundError.
 */
export async function cancelExport(ctx: Context, args: { jobId: string }): Promise<ExportJob> {
  if (!(await loadExportJob(ctx, args.jobId))) throw new NotFoundError('ExportJob');
  const now = ctx.clock();
  await ctx.db.rows(
    `UPDATE export_job SET state = 'CANCELLED', finished_at = $2, expires_at = $3 WHERE id = $1 AND state IN ('QUEUED', 'RUNNING') RETURNING id`,
    [args.jobId, new Date(now).toISOString(), new Date(now + KEEP_MS).toISOString()],
  );
  const job = await loadExportJob(ctx, args.jobId);
  if (!job) throw new NotFoundError('ExportJob');
  return job;
}
