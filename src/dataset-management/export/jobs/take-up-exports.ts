import type { Services } from '../../../core/context/context.ts';
import { FREE } from './claim-export-job.ts';
import { runNextExport } from './run-export-job.ts';

const waiting = new WeakSet<Services['db']>();

/** Runs an export that waits for somebody, or that a gateway left when it died: any gateway may have begun it. */
export async function takeUpExports(services: Services): Promise<void> {
  const { db } = services;
  if (waiting.has(db)) return;
  const rows = await db.rows(`SELECT id FROM export_job WHERE ${FREE} LIMIT 1`, []);
  if (rows.length === 0) return;
  waiting.add(db);
  services.background(async () => {
    waiting.delete(db);
    await runNextExport(services);
  });
}

/** At the start: the embedded database has one gateway, so that whoever ran a job before is gone. On a server the others tell by their renewals. */
export async function releaseExports(services: Services): Promise<void> {
  if (services.db.embedded)
    await services.db.rows(
      `UPDATE export_job SET alive_at = NULL WHERE state = 'RUNNING' RETURNING id`,
      [],
    );
  await takeUpExports(services);
}
