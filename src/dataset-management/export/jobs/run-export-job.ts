import type { Services } from '../../../core/context/context.ts';
import { keyOfExport } from '../../content/object-keys.ts';
import { checkAttempts, runClaimed } from '../../content/run-claimed.ts';
import {
  claimExportJob,
  finishExportJob,
  renewExportJob,
  type ClaimedJob,
} from './claim-export-job.ts';
import { parseStoredSplit } from '../selection/split.ts';
import { openExport } from '../archive/open-export.ts';
import { ownerContext } from './owner-context.ts';

/** How long an archive is kept for download, in milliseconds. */
export const KEEP_MS = 7 * 24 * 3600 * 1000;

/** Runs the oldest export job that nobody runs, if there is one, from its beginning. */
export async function runNextExport(services: Services): Promise<void> {
  const job = await claimExportJob(services);
  if (!job) return;
  const { id, attempts } = job;
  const logged = { job: id };
  const progress = { share: 0 };
  const renew = (): Promise<boolean> => renewExportJob(services, job, progress.share);
  await runClaimed(
    services,
    { kind: 'export', logged, attempts, renew },
    async ({ signal }) => {
      // Removes files that earlier attempts may have stored without recording them.
      for (let attempt = 1; attempt < attempts; attempt++)
        await services.storage.delete(keyOfExport(id, attempt));
      checkAttempts(job);
      await writeArchive(services, job, progress, signal);
    },
    async (error) => {
      services.log.error({ err: error, ...logged }, 'export failed');
      await finishExportJob(services, job, endOf(services)).catch(() => undefined);
    },
  );
}

async function writeArchive(
  services: Services,
  job: ClaimedJob,
  progress: { share: number },
  signal: AbortSignal,
): Promise<void> {
  const ctx = await ownerContext(services, job.ownerId, 'export');
  const { projectId, filter, format, split, assignedOnly, versionId } = job;
  const { createdAt: exportedAt } = job;
  let missingImages = 0;
  const { bytes } = await openExport(ctx, {
    projectId,
    filter,
    format,
    split: parseStoredSplit(split),
    version: versionId,
    assignedOnly,
    // Another attempt writes the same archive.
    exportedAt,
    onProgress: (done) => (progress.share = done),
    onMissing: (count) => (missingImages = count),
  });
  const staged = await services.storage.stage(bytes, { signal });
  const { size: byteSize, sha256 } = staged;
  const storageKey = keyOfExport(job.id, job.attempts);
  await services.storage.put(staged, storageKey);
  const archive = { storageKey, byteSize, sha256, missingImages };
  if (!(await finishExportJob(services, job, { archive, ...endOf(services) })))
    await services.storage.delete(storageKey);
}

function endOf({ clock }: Pick<Services, 'clock'>): { finishedAt: Date; expiresAt: Date } {
  const now = clock();
  return { finishedAt: new Date(now), expiresAt: new Date(now + KEEP_MS) };
}
