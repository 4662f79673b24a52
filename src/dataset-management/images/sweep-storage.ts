import type { Services } from '../../core/context/context.ts';
import { findOrphans } from './blobs/check-storage.ts';
import { UNDO_MS } from './undo-delete.ts';

export interface SweepReport {
  /** Images, datasets, projects and workspaces that were deleted 30 days ago, and exports that have expired. */
  rows: number;
  /** Objects that no row names any more. */
  objects: number;
}

/** Each removes what was deleted before $1, children first. */
const purges = [
  `DELETE FROM image i USING dataset d, workspace w WHERE d.id = i.dataset_id AND w.id = d.workspace_id AND (i.deleted_at < $1 OR d.deleted_at < $1 OR w.deleted_at < $1) RETURNING i.id`,
  `DELETE FROM dataset d USING workspace w WHERE w.id = d.workspace_id AND (d.deleted_at < $1 OR w.deleted_at < $1) RETURNING d.id`,
  `DELETE FROM project p USING workspace w WHERE w.id = p.workspace_id AND (p.deleted_at < $1 OR w.deleted_at < $1) RETURNING p.id`,
];

/**
 * Removes for good what was deleted 30 days ago, the bytes that no image names since, expired exports, and objects that no row has named for 30 days
 * (D-66). A row goes before its object, and no new row ever names an old object, so that a crash leaves an orphan at worst. Gateways do it once a day.
 */
export async function sweepStorage(
  services: Pick<Services, 'db' | 'storage' | 'clock'>,
): Promise<SweepReport> {
  const { db, storage } = services;
  const now = services.clock();
  const cutoff = new Date(now - UNDO_MS).toISOString();
  let rows = 0;
  for (const purge of purges) rows += (await db.rows(purge, [cutoff])).length;
  const blobs = await db.rows(
    `DELETE FROM blob b WHERE b.created_at < $1 AND NOT EXISTS (SELECT FROM image i WHERE i.blob_id = b.id) AND NOT EXISTS (SELECT FROM image i WHERE i.thumb_blob_id = b.id) RETURNING storage_key`,
    [cutoff],
  );
  const exports = await db.rows(
    `DELETE FROM export_job WHERE expires_at < $1 RETURNING storage_key`,
    [new Date(now).toISOString()],
  );
  rows +=
    exports.length +
    (
      await db.rows(
        'DELETE FROM workspace w WHERE w.deleted_at < $1 AND NOT EXISTS (SELECT FROM blob b WHERE b.workspace_id = w.id) RETURNING w.id',
        [cutoff],
      )
    ).length;
  const { orphans } = await findOrphans(services);
  const keys = new Set([...blobs, ...exports].flatMap(([key]) => key ?? []));
  for (const { key, modifiedAt } of orphans)
    if (now - modifiedAt.getTime() > UNDO_MS) keys.add(key);
  for (const key of keys) await storage.delete(key);
  return { rows, objects: keys.size };
}
