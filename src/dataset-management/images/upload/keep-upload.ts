import type { SignedInContext } from '../../../core/context/context.ts';
import { inTransaction } from '../../../core/context/in-transaction.ts';
import type { StagedBlob } from '../../../core/context/storage.ts';
import { UnknownOutcomeError, type Database } from '../../../core/database/db.ts';
import type { Dataset } from '../../datasets/dataset.ts';
import { findMissing } from '../blobs/find-missing.ts';
import {
  BlobGoneError,
  dropUnused,
  keepBytes,
  keepGone,
  writeBlob,
  type KeptBytes,
} from '../blobs/keep-blob.ts';

/** The files of an upload. */
interface Upload {
  image: StagedBlob;
  thumbnail: StagedBlob;
}

/** Whether the storage has lost bytes of an image that is not deleted. */
export async function hasLostBytes(ctx: SignedInContext, imageId: string): Promise<boolean> {
  const image = await ctx.db.prisma.image.findUnique({
    where: { id: imageId, deletedAt: null },
    select: { blob: true, thumbBlob: true },
  });
  const blobs = image ? [image.blob, image.thumbBlob] : [];
  const objects = blobs.map(({ storageKey, byteSize }) => ({ storageKey, size: Number(byteSize) }));
  return (await findMissing(ctx, objects)).size > 0;
}

/** Restores the bytes of an image from a repeated upload with the same idempotency key. */
export function restoreBytes(
  ctx: SignedInContext,
  dataset: Dataset,
  imageId: string,
  image: Upload,
): Promise<void> {
  return keepUpload(ctx, dataset, image, (writeBlobs) =>
    inTransaction(ctx, async ({ db }) => {
      await db.prisma.image.updateMany({
        // Not if it was encrypted anew since: it has other bytes then.
        where: { id: imageId, deletedAt: null, blob: { sha256: image.image.sha256 } },
        data: await writeBlobs(db, new Date(ctx.clock())),
      });
    }),
  );
}

/** Writes the rows of the bytes of an upload, in a transaction. */
type WriteBlobs = (db: Database, time: Date) => Promise<{ blobId: string; thumbBlobId: string }>;

/**
 * Puts the bytes of an upload into the storage, has `write` write their rows in its transaction, and removes what no
 * row names. `write` is called once more where bytes that were there have been removed meanwhile.
 */
export async function keepUpload<T>(
  ctx: SignedInContext,
  dataset: Dataset,
  image: Upload,
  write: (writeBlobs: WriteBlobs) => Promise<T>,
): Promise<T> {
  const kept: KeptBytes[] = [];
  let outcome: 'committed' | 'rolled back' | 'unknown' = 'rolled back';
  try {
    await keepBytes(ctx, dataset.workspaceId, [image.image, image.thumbnail], kept);
    const writeBlobs: WriteBlobs = async (db, time) => {
      const ids: string[] = [];
      for (const bytes of kept) ids.push(await writeBlob(db, bytes, time));
      const [blobId = '', thumbBlobId = ''] = ids;
      return { blobId, thumbBlobId };
    };
    const written = await write(writeBlobs).catch(async (error: unknown) => {
      if (!(error instanceof BlobGoneError)) throw error;
      await keepGone(ctx, kept);
      return write(writeBlobs);
    });
    outcome = 'committed';
    return written;
  } catch (error) {
    if (error instanceof UnknownOutcomeError) {
      outcome = 'unknown';
      ctx.log.warn(
        { requestId: ctx.requestId, keys: kept.flatMap(({ newKey }) => newKey ?? []) },
        'upload kept: whether its commit succeeded is unknown',
      );
    }
    throw error;
  } finally {
    if (outcome !== 'unknown') await dropUnused(ctx, kept, outcome === 'committed');
  }
}
