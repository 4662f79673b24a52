import { randomUUID } from 'node:crypto';
import type { Services } from '../../../core/context/context.ts';
import { inTransaction } from '../../../core/context/in-transaction.ts';
import { beginWrite } from '../../../core/sql/writes.sql.ts';
import type { RowOf } from '../../../core/sql/types.ts';
import { claimImport, renewImport } from '../../export/selection/exports.sql.ts';
import type { ImportReport } from './import-report.ts';

/** An import that this gateway has taken, until it is finished or `runner` is somebody else. */
export interface ClaimedImport extends RowOf<typeof claimImport.row> {
  runner: string;
}

/** Takes the oldest free import; two gateways never take the same one. */
export async function claimAnnotationImport({
  db,
}: Pick<Services, 'db'>): Promise<ClaimedImport | undefined> {
  const runner = randomUUID();
  const job = await claimImport.first(db, { runner });
  return job && { ...job, runner };
}

/** Renews the claim and stores the progress; false when the import no longer belongs to this gateway. */
export async function renewAnnotationImport(
  { db }: Pick<Services, 'db'>,
  { id, runner }: ClaimedImport,
  progress: number,
): Promise<boolean> {
  return (await renewImport.first(db, { id, runner, progress })) !== undefined;
}

/** An import that this gateway has, in a domain that takes writes. */
const ours = ({ id, runner }: ClaimedImport) => ({
  ...{ id, runner, state: 'RUNNING' },
  project: { workspace: { domain: { state: 'OPEN' } } },
});

/**
 * In a transaction that writes what is imported, before it does: whether nobody has cancelled the import, taken it up because
 * this gateway seemed dead, or locked the domain. Who locks it from then on waits for the transaction.
 */
export async function holdAnnotationImport(
  tx: Pick<Services, 'db'>,
  job: ClaimedImport,
): Promise<boolean> {
  await beginWrite.rows(tx.db, job);
  return (await tx.db.prisma.annotationImport.count({ where: ours(job) })) > 0;
}

/**
 * Ends an import that still belongs to this gateway, which then needs its file no longer. In a domain that was locked it is
 * left as it is, and run again from its beginning when the domain is open.
 */
export async function finishAnnotationImport(
  services: Pick<Services, 'db' | 'storage'>,
  job: ClaimedImport,
  end: {
    state: 'SUCCEEDED' | 'FAILED';
    report: ImportReport;
    finishedAt: Date;
    expiresAt: Date;
  },
): Promise<void> {
  const { count } = await inTransaction(services, async ({ db }) => {
    await beginWrite.rows(db, job);
    return db.prisma.annotationImport.updateMany({
      where: ours(job),
      data: { ...end, storageKey: null, ...(end.state === 'SUCCEEDED' && { progress: 1 }) },
    });
  });
  if (count > 0 && job.storageKey !== null) await services.storage.delete(job.storageKey);
}
