import type { Services } from '../../../core/context/context.ts';
import type { Signal } from '../../../core/signal.ts';
import { waitForLock } from '../../../core/sql/writes.sql.ts';
import { UNDO_MS } from '../../content/undo-token.ts';
import { collectChunks, collectItems, frozenDatasets, lastNumber } from './versions.sql.ts';
import { lockOfVersions } from './lock-of-versions.ts';

/** Rows that one transaction removes. To find them, it reads all of the dataset. */
const BATCH = 20_000;

type CollectServices = Pick<Services, 'db' | 'clock'>;

/**
 * Removes what versions hold that were deleted 30 days ago, with their dataset or workspace, too, unless another version
 * holds it, in small transactions; returns how many rows. Their numbers stay taken. Gateways do it once a day, before
 * they collect the bytes of images. Throws the reason of `stop`.
 */
export async function collectVersions(services: CollectServices, stop?: Signal): Promise<number> {
  const { db, clock } = services;
  const gone = { deletedAt: { lt: new Date(clock() - UNDO_MS) } };
  const dropped = await db.prisma.versionTree.deleteMany({
    where: { version: { OR: [gone, { dataset: gone }, { dataset: { workspace: gone } }] } },
  });
  let rows = dropped.count;
  for (const { id } of await frozenDatasets.rows(db, {}))
    for (let removed = BATCH; removed > 0; rows += removed) {
      stop?.throwIfAborted();
      removed = await collectSome(services, id);
    }
  return rows;
}

/** Nothing is removed while a version of the dataset is being frozen: it may just have found what it shares. */
async function collectSome({ db }: CollectServices, datasetId: string): Promise<number> {
  return db.transaction(async (_, tx) => {
    await waitForLock.rows(tx, { lock: lockOfVersions(datasetId) });
    const { freezing = 0 } = (await lastNumber.first(tx, { datasetId })) ?? {};
    if (freezing > 0) return 0;
    const which = { datasetId, limit: BATCH };
    // The chunks first: they hold items.
    const chunks = await collectChunks.rows(tx, which);
    return chunks.length > 0 ? chunks.length : (await collectItems.rows(tx, which)).length;
  });
}
