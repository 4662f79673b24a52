import type { Services } from '../../core/context/context.ts';
import { collectBlobs, collectExports, collectImports } from '../content/content.sql.ts';
import { findOrphans } from './blobs/check-storage.ts';
import { UNDO_MS } from '../content/undo-token.ts';

export interface SweepReport {
  /** Images, datasets, projects and workspaces that were deleted 30 days ago, exports and imports that have expired. */
  rows: number;
  /** Objects to which no row refers any more. */
  objects: number;
}

/**
 * Removes for good what was deleted 30 days ago, the bytes that no image names since, expired exports and imports, and objects that
 * no row has named for 30 days (D-66). A row goes before its object, and no new row ever names an old object, so that a
 * crash leaves an orphan at worst. Gateways do it once a day.
 */
export async function sweepStorage(
  services: Pick<Services, 'db' | 'storage' | 'clock'>,
): Promise<SweepReport> {
  const { db, storage } = services;
  const now = services.clock();
  const cutoff = new Date(now - UNDO_MS);
  const gone = { deletedAt: { lt: cutoff } };
  const { image, dataset, project, workspace } = db.prisma;
  // Children first.
  const images = await image.deleteMany({
    where: { OR: [gone, { dataset: gone }, { dataset: { workspace: gone } }] },
  });
  const datasets = await dataset.deleteMany({ where: { OR: [gone, { workspace: gone }] } });
  const projects = await project.deleteMany({ where: { OR: [gone, { workspace: gone }] } });
  const blobs = await collectBlobs.rows(db, { before: cutoff });
  const exports = await collectExports.rows(db, { now: new Date(now) });
  const imports = await collectImports.rows(db, { now: new Date(now) });
  const workspaces = await workspace.deleteMany({ where: { ...gone, blobs: { none: {} } } });
  const jobs = [...exports, ...imports];
  const rows = images.count + datasets.count + projects.count + jobs.length + workspaces.count;
  const { orphans } = await findOrphans(services);
  const keys = new Set([...blobs, ...jobs].flatMap(({ storageKey }) => storageKey ?? []));
  for (const { key, modifiedAt } of orphans)
    if (now - modifiedAt.getTime() > UNDO_MS) keys.add(key);
  for (const key of keys) await storage.delete(key);
  return { rows, objects: keys.size };
}
