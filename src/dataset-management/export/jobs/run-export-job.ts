import { randomUUID } from 'node:crypto';
import type { Context, Services } from '../../../core/context/context.ts';
import { startTrace } from '../../../core/context/telemetry.ts';
import { NotFoundError } from '../../../core/errors.ts';
import {
  claimExportJob,
  finishExportJob,
  renewExportJob,
  type ClaimedJob,
} from './claim-export-job.ts';
import { openExport } from '../archive/open-export.ts';

/** How long an archive can be downloaded. */
export const KEEP_MS = 7 * 24 * 3600 * 1000;
const RENEW_MS = 1_000;
/** A job that ended its gateway so often is not tried again. */
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
    // What an attempt before has stored and not noted, nobody knows any more.
    for (let attempt = 1; attempt < job.attempt; attempt++)
      await services.storage.delete(keyOf(job.id, attempt));
    if (job.attempt > MOST_ATTEMPTS)
      throw new Error(`given up after ${MOST_ATTEMPTS} attempts that did not end`);
    await writeArchive(services, job, progress, stop.signal);
  } catch (error) {
    if (stop.signal.aborted) return;
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
  const ctx = await contextOf(services, job.ownerId);
  const { projectId, filter, format } = job;
  let missingImages = 0;
  const { bytes } = await openExport(ctx, {
    projectId,
    filter,
    format,
    onProgress: (done) => (progress.share = done),
    onMissing: (count) => (missingImages = count),
  });
  const staged = await services.storage.stage(bytes, { signal });
  const { size, sha256 } = staged;
  const storageKey = keyOf(job.id, job.attempt);
  await services.storage.put(staged, storageKey);
  const archive = { storageKey, size, sha256, missingImages };
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

/** What the job's owner may do now, without a session. Throws NotFoundError for a user who may do nothing any more. */
async function contextOf(services: Services, ownerId: number): Promise<Context> {
  const [row] = await services.db.rows(
    'SELECT login, display_name, domain_id FROM "user" WHERE id = $1 AND disabled_at IS NULL',
    [ownerId],
  );
  if (!row) throw new NotFoundError('User');
  const [login, displayName, domainId] = row;
  return {
    ...services,
    viewer: {
      sessionId: randomUUID(),
      userId: ownerId,
      login: login ?? '',
      displayName: displayName ?? '',
      domainId: Number(domainId),
      unitId: null,
      profileId: null,
      deptIds: [],
      homeDeptIds: [],
      timeZone: 'UTC',
      langCode: 'en',
      currentView: 'MV',
      permissions: new Set(),
      configVersion: 1,
      writtenLsn: 0,
    },
    customer: null,
    requestId: 'export',
    trace: startTrace('export', 'background'),
    remoteAddress: '',
    baseUrl: '',
  };
}
