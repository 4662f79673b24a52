import type { Services } from '../../core/context/context.ts';
import type { Signal } from '../../core/signal.ts';
import { limitParallel } from '../../core/turns/limit.ts';
import { UNDO_MS } from '../content/undo-token.ts';
import { findOrphans } from '../images/blobs/check-storage.ts';
import {
  blobsAfter,
  collectBlobs,
  collectExports,
  collectImports,
  lockUnusedBlobs,
  removeAnnotations,
  removeImages,
  removeImagesBelow,
  removeReviews,
} from './sweep.sql.ts';

export interface SweepReport {
  /** Images, datasets, projects and workspaces that were deleted 30 days ago, exports and imports that have expired. */
  rows: number;
  /** Objects to which no row refers any more. */
  objects: number;
}

/** Images that are removed at once: each may have 2,000 annotations. */
const IMAGES = 100;
/** Annotations, reviews or blobs at once. */
const ROWS = 2_000;
/** Objects that are deleted at once. */
const DELETES = 16;

/**
 * Removes for good what was deleted 30 days ago, the bytes that no image names since, expired exports and imports, and
 * objects that no row has named for 30 days (D-66), in short steps: it may be ended anywhere, and goes on at its next
 * turn. A row goes before its object, and no new row ever names an old object, so that a crash leaves an orphan at
 * worst. Throws the reason of `stop`.
 */
export async function sweepStorage(
  services: Pick<Services, 'db' | 'storage' | 'clock'>,
  stop?: Signal,
): Promise<SweepReport> {
  const { db, storage } = services;
  const now = services.clock();
  const before = new Date(now - UNDO_MS);
  const report: SweepReport = { rows: 0, objects: 0 };
  const untilNone = async (
    remove: (some: { before: Date; limit: number }) => Promise<object[]>,
    limit: number,
  ): Promise<number> => {
    for (let all = 0; ;) {
      stop?.throwIfAborted();
      const removed = await remove({ before, limit });
      if (removed.length === 0) return all;
      all += removed.length;
    }
  };
  const deleteObjects = async (keys: readonly (string | null)[]): Promise<void> => {
    const limited = limitParallel(DELETES);
    const named = keys.filter((key) => key !== null);
    await Promise.all(
      named.map((key) =>
        limited(() => {
          stop?.throwIfAborted();
          return storage.delete(key);
        }),
      ),
    );
    report.objects += named.length;
  };

  // Children first, and none by cascades, which may be any number of rows at once.
  report.rows += await untilNone((some) => removeImages.rows(db, some), IMAGES);
  report.rows += await untilNone((some) => removeImagesBelow.rows(db, some), IMAGES);
  await untilNone((some) => removeAnnotations.rows(db, some), ROWS);
  await untilNone((some) => removeReviews.rows(db, some), ROWS);
  const gone = { deletedAt: { lt: before } };
  const { dataset, project, workspace } = db.prisma;
  const datasets = await dataset.deleteMany({ where: { OR: [gone, { workspace: gone }] } });
  const projects = await project.deleteMany({ where: { OR: [gone, { workspace: gone }] } });
  for (let after: string | null = null; ;) {
    stop?.throwIfAborted();
    const ids: string[] = (await blobsAfter.rows(db, { after, limit: ROWS })).map(({ id }) => id);
    const blobs = await db.transaction(async (_, tx) => {
      const unused = await lockUnusedBlobs.rows(tx, { ids, before });
      return collectBlobs.rows(tx, { ids: unused.map(({ id }) => id), before });
    });
    await deleteObjects(blobs.map(({ storageKey }) => storageKey));
    after = ids.at(-1) ?? null;
    if (ids.length < ROWS) break;
  }
  const expired = [
    ...(await collectExports.rows(db, { now: new Date(now) })),
    ...(await collectImports.rows(db, { now: new Date(now) })),
  ];
  await deleteObjects(expired.map(({ storageKey }) => storageKey));
  const workspaces = await workspace.deleteMany({ where: { ...gone, blobs: { none: {} } } });
  report.rows += datasets.count + projects.count + expired.length + workspaces.count;
  const { orphans } = await findOrphans(services, stop);
  const old = orphans.filter(({ modifiedAt }) => now - modifiedAt.getTime() > UNDO_MS);
  await deleteObjects(old.map(({ key }) => key));
  return report;
}
