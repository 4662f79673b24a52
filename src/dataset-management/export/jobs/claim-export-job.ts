import { randomUUID } from 'node:crypto';
import type { Services } from '../../../core/context/context.ts';
import { inTransaction } from '../../../core/context/in-transaction.ts';
import { beginWrite } from '../../../core/sql/writes.sql.ts';
import type { RowOf } from '../../../core/sql/types.ts';
import { claimExport, renewExport } from '../selection/exports.sql.ts';

/** A job that this gateway has taken, until it is finished or `runner` is somebody else. */
export interface ClaimedJob extends RowOf<typeof claimExport.row> {
  runner: string;
}

/** Takes the oldest free job; two gateways never take the same one. */
export async function claimExportJob({
  db,
}: Pick<Services, 'db'>): Promise<ClaimedJob | undefined> {
  const runner = randomUUID();
  const job = await claimExport.first(db, { runner });
  return job && { ...job, runner };
}

/**
 * Renews the claim on a job and stores its progress; false when it no longer belongs to this gateway: it was cancelled,
 * or taken over by one that considered this gateway dead.
 */
export async function renewExportJob(
  { db }: Pick<Services, 'db'>,
  { id, runner }: ClaimedJob,
  progress: number,
): Promise<boolean> {
  return (await renewExport.first(db, { id, runner, progress })) !== undefined;
}

/** Ends a job; false when it no longer belongs to this gateway, or its domain was locked: then it runs again later. */
export async function finishExportJob(
  services: Pick<Services, 'db'>,
  { id, runner, domainId }: ClaimedJob,
  outcome: {
    archive?: { storageKey: string; byteSize: number; sha256: string; missingImages: number };
    finishedAt: Date;
    expiresAt: Date;
  },
): Promise<boolean> {
  const { archive, ...end } = outcome;
  const { count } = await inTransaction(services, async ({ db }) => {
    await beginWrite.rows(db, { domainId });
    return db.prisma.exportJob.updateMany({
      where: {
        ...{ id, runner, state: 'RUNNING' },
        project: { workspace: { domain: { state: 'OPEN' } } },
      },
      data: archive
        ? { ...end, ...archive, state: 'SUCCEEDED', progress: 1 }
        : { ...end, state: 'FAILED' },
    });
  });
  return count > 0;
}
