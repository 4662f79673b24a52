import type { SignedInContext } from '../../core/context/context.ts';
import { NotFoundError } from '../../core/errors.ts';
import { DatasetPublishedError } from '../envelope/dataset-errors.ts';
import { deleteSoftly } from '../content/delete-softly.ts';
import { forgetImages, requireImage } from './load-image.ts';

/**
 * Deletes an image of a draft dataset softly; its bytes are collected after 30 days (D-66). Returns the token that undoes it.
 * GraphQL `deleteImage`, REST POST /api/Images/delete. Throws NotFoundError, ForbiddenError, DatasetPublishedError.
 */
export async function deleteImage(
  ctx: SignedInContext,
  args: { imageId: string },
): Promise<string> {
  const { id } = await requireImage(ctx, args.imageId, 'change');
  const undoToken = await deleteSoftly(ctx, 'image', id).catch(async (error: unknown) => {
    forgetImages(ctx);
    if (error instanceof NotFoundError && (await isFrozen(ctx, id)))
      throw new DatasetPublishedError();
    throw error;
  });
  forgetImages(ctx);
  return undoToken;
}

/** Asked of the stored rows: the image may also have been deleted and restored meanwhile. */
async function isFrozen({ db }: SignedInContext, id: string): Promise<boolean> {
  const dataset = { status: 'PUBLISHED', deletedAt: null };
  return (await db.prisma.image.count({ where: { id, deletedAt: null, dataset } })) > 0;
}
