import { randomUUID } from 'node:crypto';
import { requireViewer } from '../../auth/guards.ts';
import type { Context } from '../../core/context/context.ts';
import { NotFoundError } from '../../core/errors.ts';
import { createOnce, type Created } from '../content/create-once.ts';
import { requireProject } from '../projects/load-project.ts';
import { loadExportJob, type ExportJob } from './load-export-job.ts';
import type { ExportFilter } from './export-filter.ts';
import type { ExportFormat } from './label-file.ts';
import { openExport } from './open-export.ts';

const KEEP_MS = 7 * 24 * 3600 * 1000;
/** How often progress is written; also while the job waits for its turn, lest it counts as dead. */
const RENEW_MS = 1_000;

interface ExportArgs {
  projectId: string;
  filter: ExportFilter;
  format: ExportFormat;
}

/** Starts an export in the background; its archive can be downloaded for a week. GraphQL `exportProject`. Throws NotFoundError, ForbiddenError, IdempotencyError. */
export async function startExportJob(
  ctx: Context,
  args: ExportArgs & { idempotencyKey?: string | null | undefined },
): Promise<Created<ExportJob>> {
  const { userId } = requireViewer(ctx);
  const project = await requireProject(ctx, args.projectId, 'change');
  const { filter, format } = args;
  const { answer, replayed } = await createOnce(
    ctx,
    {
      operation: 'exportProject',
      key: args.idempotencyKey,
      request: { projectId: project.id, filter, format },
    },
    async (client) => {
      const id = randomUUID();
      await client.query(
        'INSERT INTO export_job (id, project_id, owner_id, filter, format, created_at, alive_at) VALUES ($1, $2, $3, $4, $5, $6, $6)',
        [id, project.id, userId, filter, format, new Date(ctx.clock())],
      );
      return id;
    },
  );
  if (!replayed) runInBackground(ctx, answer, { projectId: project.id, filter, format });
  const job = await loadExportJob(ctx, answer);
  if (!job) throw new NotFoundError('ExportJob');
  return { created: job, replayed };
}

function runInBackground(ctx: Context, id: string, args: ExportArgs): void {
  const progress = { share: 0 };
  const update: UpdateJob = (data) => ctx.db.prisma.exportJob.update({ where: { id }, data });
  // Only while it is unfinished: a renewal that comes late must not undo the end.
  const renew = () =>
    ctx.db.prisma.exportJob.updateMany({
      where: { id, finishedAt: null },
      data: { progress: progress.share, aliveAt: new Date(ctx.clock()) },
    });
  const renewal = setInterval(() => void renew().catch(() => undefined), RENEW_MS);
  ctx.background(() =>
    runExportJob(ctx, id, args, { progress, update, stopRenewal: () => clearInterval(renewal) }),
  );
}

type JobData = Parameters<Context['db']['prisma']['exportJob']['update']>[0]['data'];
type UpdateJob = (data: JobData) => Promise<unknown>;

interface JobRun {
  progress: { share: number };
  update: UpdateJob;
  stopRenewal: () => void;
}

async function runExportJob(
  ctx: Context,
  id: string,
  args: ExportArgs,
  { progress, update, stopRenewal }: JobRun,
): Promise<void> {
  let missingImages = 0;
  try {
    await update({ state: 'RUNNING', aliveAt: new Date(ctx.clock()) });
    const { bytes } = await openExport(ctx, {
      ...args,
      onProgress: (done) => (progress.share = done),
      onMissing: (count) => (missingImages = count),
    });
    const staged = await ctx.storage.stage(bytes);
    const storageKey = `exports/${id}`;
    const { size, sha256 } = staged;
    await ctx.storage.put(staged, storageKey);
    stopRenewal();
    const finishedAt = new Date(ctx.clock());
    await update({
      state: 'SUCCEEDED',
      progress: 1,
      missingImages,
      storageKey,
      byteSize: size,
      sha256,
      finishedAt,
      expiresAt: new Date(finishedAt.getTime() + KEEP_MS),
    });
  } catch (error) {
    stopRenewal();
    ctx.log.error({ err: error, job: id }, 'export failed');
    await update({ state: 'FAILED', finishedAt: new Date(ctx.clock()) }).catch(() => undefined);
  }
}
