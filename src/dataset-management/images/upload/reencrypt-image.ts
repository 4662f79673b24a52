import { tellObject } from '../../../core/context/act.ts';
import type { SignedInContext } from '../../../core/context/context.ts';
import { inTransaction } from '../../../core/context/in-transaction.ts';
import type { StagedBlob } from '../../../core/context/storage.ts';
import { NotFoundError } from '../../../core/errors.ts';
import { shareDataset } from '../../content/content.sql.ts';
import type { Dataset } from '../../datasets/dataset.ts';
import { EncryptionError, refusal } from '../../envelope/dataset-errors.ts';
import { checkCiphertext } from './check-ciphertext.ts';
import { keepUpload } from './keep-upload.ts';
import { checkKeyNumber, readEncryption, type EncryptionArgs } from './read-encryption.ts';

/**
 * Replaces the ciphertext of an image and its thumbnail by that of the same image under the new key, while the workspace
 * changes its key: an upload with `ReplacesSha256`, the SHA-256 of the old ciphertext, so that of two clients one does it.
 * Images of published datasets too, for they stay what they are. Returns the id. Throws ValidationError, EncryptionError,
 * NotFoundError, ForbiddenError.
 */
export async function reencryptImage(
  ctx: SignedInContext,
  dataset: Dataset,
  args: {
    image: StagedBlob | undefined;
    thumbnail: StagedBlob | undefined;
    encryption?: EncryptionArgs;
  },
): Promise<string> {
  const { imageId, keyNumber, proof } = readEncryption(args.encryption);
  if (imageId === undefined || keyNumber === undefined || proof === undefined)
    throw refusal(
      'VALIDATION_ERROR',
      'ReplacesSha256',
      'ReplacesSha256 needs ImageId, KeyNumber and Proof',
    );
  const replaced = args.encryption?.replacesSha256?.toLowerCase() ?? '';
  if (!/^[0-9a-f]{64}$/.test(replaced))
    throw refusal('VALIDATION_ERROR', 'ReplacesSha256', 'ReplacesSha256 is not a SHA-256');
  if (!args.image) throw refusal('IMAGE_REQUIRED', 'Image');
  tellObject(ctx, 'DatasetImage', imageId);
  const old = await ctx.db.prisma.image.findFirst({
    where: { id: imageId, datasetId: dataset.id, deletedAt: null },
    select: { width: true, height: true, blob: true, thumbBlob: true },
  });
  if (!old) throw new NotFoundError('Image');
  const { width, height } = old;
  const files = { image: args.image, thumbnail: args.thumbnail };
  const { thumbnail } = await checkCiphertext(ctx, { ...files, width, height });
  const pairs = [[args.image, old.blob] as const, [thumbnail, old.thumbBlob] as const];
  // The same content has the same length under every key.
  const isAsLong = pairs.every(([file, blob]) => BigInt(file.size) === blob.byteSize);
  if (!isAsLong)
    throw refusal('VALIDATION_ERROR', 'Image', 'Image and Thumbnail must be as long as before');
  if (old.blob.sha256 === replaced && pairs.some(([file, blob]) => file.sha256 === blob.sha256))
    throw refusal('VALIDATION_ERROR', 'Image', 'Image and Thumbnail must be encrypted anew');
  await keepUpload(ctx, dataset, { image: args.image, thumbnail }, (writeBlobs) =>
    inTransaction(ctx, async ({ db }) => {
      const now = await shareDataset.first(db, { id: dataset.id, userId: ctx.viewer.userId });
      if (!now?.encrypted) throw new NotFoundError('Dataset');
      if (now.oldKeyNumber === null) throw new EncryptionError('NO_ROTATION');
      checkKeyNumber(now, keyNumber);
      const time = new Date(ctx.clock());
      const { count } = await db.prisma.image.updateMany({
        where: {
          id: imageId,
          deletedAt: null,
          keyNumber: now.oldKeyNumber,
          blob: { sha256: replaced },
        },
        data: { ...(await writeBlobs(db, time)), keyNumber, proof },
      });
      if (count === 0) throw new EncryptionError('IMAGE_CHANGED');
      // Exports that have begun read the old ciphertext: it is kept for as long as that of a deleted image.
      await db.prisma.blob.updateMany({
        where: { storageKey: { in: [old.blob.storageKey, old.thumbBlob.storageKey] } },
        data: { createdAt: time },
      });
    }),
  );
  return imageId;
}
