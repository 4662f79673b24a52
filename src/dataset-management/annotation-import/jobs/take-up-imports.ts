import type { Services } from '../../../core/context/context.ts';
import { takeUp } from '../../../core/turns/take-up.ts';
import { freeImport } from '../../export/selection/exports.sql.ts';
import { runNextImport } from './run-annotation-import.ts';

/** Runs an import that waits for somebody, or that a gateway left when it died: any gateway may have begun it. */
export const takeUpImports = takeUp(
  (db: Services['db']) => freeImport.first(db, {}),
  runNextImport,
);

/** For the start of a gateway: running imports of an embedded database belong to a dead process. */
export async function releaseImports(services: Services): Promise<void> {
  if (services.db.embedded)
    await services.db.prisma.annotationImport.updateMany({
      where: { state: 'RUNNING' },
      data: { aliveAt: null },
    });
  await takeUpImports(services);
}
