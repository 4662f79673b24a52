import { randomUUID } from 'node:crypto';
import type { Services } from '../../../core/context/context.ts';
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

/** Ends an import that still belongs to this gateway, which then needs its file no longer. */
export async function finishAnnotationImport(
  { db, storage }: Pick<Services, 'db' | 'storage'>,
  { id, runner, storageKey }: ClaimedImport,
  end: {
    state: 'SUCCEEDED' | 'FAILED';
    report: ImportReport;
    finishedAt: Date;
    expiresAt: Date;
  },
): Promise<void> {
  const { count } = await db.prisma.annotationImport.updateMany({
    where: { id, runner, state: 'RUNNING' },
    data: { ...end, storageKey: null, ...(end.state === 'SUCCEEDED' && { progress: 1 }) },
  });
  if (count > 0 && storageKey !== null) await storage.delete(storageKey);
}
