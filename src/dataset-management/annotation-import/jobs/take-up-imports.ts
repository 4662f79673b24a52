import type { Services } from '../../../core/context/context.ts';
import { freeImport } from '../../export/selection/exports.sql.ts';
import { runNextImport } from './run-annotation-import.ts';

const waiting = new WeakSet<Services['db']>();

/** Runs an import that waits for somebody, or that a gateway left when it died: any gateway may have begun it. */
export async function takeUpImports(services: Services): Promise<void> {
  const { db } = services;
  if (waiting.has(db)) return;
  if (!(await freeImport.first(db, {}))) return;
  waiting.add(db);
  services.background(async () => {
    waiting.delete(db);
    await runNextImport(services);
  });
}

/** For the start of a gateway: running imports of an embedded database belong to a dead process. */
export async function releaseImports(services: Services): Promise<void> {
  if (services.db.embedded)
    await services.db.prisma.annotationImport.updateMany({
      where: { state: 'RUNNING' },
      data: { aliveAt: null },
    });
  await takeUpImports(services);
}
