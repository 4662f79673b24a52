import { randomUUID } from 'node:crypto';
import type { Services } from '../../../core/context/context.ts';
import { parseExportFilter, type ExportFilter } from '../archive/export-filter.ts';
import { parseExportFormat, type ExportFormat } from '../archive/label-file.ts';

type JobServices = Pick<Services, 'db' | 'clock'>;

/** A job that nobody has renewed for so long was left by a gateway that died. */
const LEASE = `interval '15 seconds'`;

/** Jobs that somebody has to run: none has begun, or whoever had is gone. */
export const FREE = `(state = 'QUEUED' OR (state = 'RUNNING' AND (alive_at IS NULL OR alive_at < clock_timestamp() - ${LEASE})))`;

/** A job that this gateway has taken, until it is finished or `runner` is somebody else. */
export interface ClaimedJob {
  id: string;
  runner: string;
  projectId: string;
  ownerId: number;
  filter: ExportFilter;
  format: ExportFormat;
  /** 1 when it is begun for the first time. */
  attempt: number;
}

/** Takes the oldest free job; two gateways never take the same one. */
export async function claimExportJob({ db }: JobServices): Promise<ClaimedJob | undefined> {
  const runner = randomUUID();
  const [row] = await db.rows(
    `UPDATE export_job SET state = 'RUNNING', runner = $1, alive_at = clock_timestamp(), attempts = attempts + 1, progress = 0
     WHERE id = (SELECT id FROM export_job WHERE ${FREE} ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING id, project_id, owner_id, filter, format, attempts`,
    [runner],
  );
  if (!row) return undefined;
  const [id, projectId, ownerId, filter, format, attempt] = row;
  return {
    id: id ?? '',
    runner,
    projectId: projectId ?? '',
    ownerId: Number(ownerId),
    filter: parseExportFilter((filter ?? '').replace('_', '')) ?? 'ALL',
    format: parseExportFormat(format),
    attempt: Number(attempt),
  };
}

/** Says that the job is still run, and how far it is; false when it is ours no more: cancelled, or taken by a gateway that thought us dead. */
export async function renewExportJob(
  { db }: JobServices,
  { id, runner }: ClaimedJob,
  progress: number,
): Promise<boolean> {
  const rows = await db.rows(
    `UPDATE export_job SET alive_at = clock_timestamp(), progress = $3 WHERE id = $1 AND runner = $2 AND state = 'RUNNING' RETURNING id`,
    [id, runner, progress],
  );
  return rows.length > 0;
}

/** Ends a job; false when it is ours no more. */
export async function finishExportJob(
  { db }: JobServices,
  { id, runner }: ClaimedJob,
  outcome: {
    archive?: { storageKey: string; size: number; sha256: string; missingImages: number };
    finishedAt: Date;
    expiresAt: Date;
  },
): Promise<boolean> {
  const { archive, finishedAt, expiresAt } = outcome;
  const rows = await db.rows(
    `UPDATE export_job SET state = $3, progress = CASE $3 WHEN 'SUCCEEDED' THEN 1 ELSE progress END, storage_key = $4, byte_size = $5, sha256 = $6, finished_at = $7, expires_at = $8, missing_images = $9
     WHERE id = $1 AND runner = $2 AND state = 'RUNNING' RETURNING id`,
    [
      id,
      runner,
      archive ? 'SUCCEEDED' : 'FAILED',
      archive?.storageKey ?? null,
      archive?.size ?? null,
      archive?.sha256 ?? null,
      finishedAt.toISOString(),
      expiresAt.toISOString(),
      archive?.missingImages ?? 0,
    ],
  );
  return rows.length > 0;
}
