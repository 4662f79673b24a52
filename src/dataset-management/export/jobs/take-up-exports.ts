import type { Services } from '../../../core/context/context.ts';
import { takeUp } from '../../../core/turns/take-up.ts';
import { freeExport } from '../selection/exports.sql.ts';
import { runNextExport } from './run-export-job.ts';

/** Runs an export that waits for somebody, or that a gateway left when it died: any gateway may have begun it. */
export const takeUpExports = takeUp(
  (db: Services['db']) => freeExport.first(db, {}),
  runNextExport,
);

/**
 * For the start of a gateway: the embedded database has only one, so running jobs belong to a dead process. On a
 * server, renewals show which gateways are alive.
 */
export async function releaseExports(services: Services): Promise<void> {
  if (services.db.embedded)
    await services.db.prisma.exportJob.updateMany({
      where: { state: 'RUNNING' },
      data: { aliveAt: null },
    });
  await takeUpExports(services);
}
