import type { Services } from '../../../core/context/context.ts';
import { freeJob } from '../selection/exports.sql.ts';
import { runNextExport } from './run-export-job.ts';

const waiting = new WeakSet<Services['db']>();

/** Runs an export that waits for somebody, or that a gateway left when it died: any gateway may have begun it. */
export async function takeUpExports(services: Services): Promise<void> {
  const { db } = services;
  if (waiting.has(db)) return;
  if (!(await freeJob.first(db, {}))) return;
  waiting.add(db);
  services.background(async () => {
    waiting.delete(db);
    await runNextExport(services);
  });
}

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
