import type { SignedInContext } from '../../core/context/context.ts';
import { NotFoundError } from '../../core/errors.ts';
import { DatasetPublishedError } from '../envelope/dataset-errors.ts';
import { deleteSoftly } from '../content/delete-softly.ts';
import { forgetImages, loadImage, requireImage } from './load-image.ts';

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
    // If the image still exists, its published dataset was the reason.
    if (error instanceof NotFoundError && (await loadImage(ctx, id)))
      throw new DatasetPublishedError();
    throw error;
  });
  forgetImages(ctx);
  return undoToken;
}
