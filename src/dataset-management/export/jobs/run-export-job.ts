import type { Services } from '../../../core/context/context.ts';
import { isPassing } from '../../../core/failures/to-app-error.ts';
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
const RENEW_MS = 1_000;
/** A job whose gateway died, or lost its database or storage, this often is not tried again. */
const MOST_ATTEMPTS = 3;

/** Runs the oldest export job that nobody runs, if there is one, from its beginning. */
export async function runNextExport(services: Services): Promise<void> {
  const job = await claimExportJob(services);
  if (!job) return;
  const stop = new AbortController();
  const progress = { share: 0 };
  const renew = async (): Promise<void> => {
    if (!(await renewExportJob(services, job, progress.share))) stop.abort();
  };
  const renewal = setInterval(() => void renew().catch(() => undefined), RENEW_MS);
  try {
    // Removes files that earlier attempts may have stored without recording them.
    for (let attempt = 1; attempt < job.attempts; attempt++)
      await services.storage.delete(keyOf(job.id, attempt));
    if (job.attempts > MOST_ATTEMPTS)
      throw new Error(`gave up after ${MOST_ATTEMPTS} attempts that did not finish`);
    await writeArchive(services, job, progress, stop.signal);
  } catch (error) {
    if (stop.signal.aborted) return;
    // Its claim lapses soon, and a gateway begins it again.
    if (isPassing(error) && job.attempts < MOST_ATTEMPTS)
      return services.log.warn({ err: error, job: job.id }, 'export interrupted: it begins again');
    services.log.error({ err: error, job: job.id }, 'export failed');
    await finishExportJob(services, job, endOf(services)).catch(() => undefined);
  } finally {
    clearInterval(renewal);
  }
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
  const storageKey = keyOf(job.id, job.attempts);
  await services.storage.put(staged, storageKey);
  const archive = { storageKey, byteSize, sha256, missingImages };
  if (!(await finishExportJob(services, job, { archive, ...endOf(services) })))
    await services.storage.delete(storageKey);
}

function keyOf(id: string, attempt: number): string {
  return attempt === 1 ? `exports/${id}` : `exports/${id}-${attempt}`;
}

function endOf({ clock }: Pick<Services, 'clock'>): { finishedAt: Date; expiresAt: Date } {
  const now = clock();
  return { finishedAt: new Date(now), expiresAt: new Date(now + KEEP_MS) };
}
