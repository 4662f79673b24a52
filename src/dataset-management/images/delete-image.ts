import type { SignedInContext } from '../../core/context/context.ts';
import { NotFoundError } from '../../core/errors.ts';
import { DatasetPublishedError } from '../envelope/dataset-errors.ts';
import { shareDataset } from '../content/content.sql.ts';
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
  const { id, datasetId } = await requireImage(ctx, args.imageId, 'change');
  const { userId } = ctx.viewer;
  return deleteSoftly(ctx, 'image', id, async (db) => {
    const dataset = await shareDataset.first(db, { id: datasetId, userId });
    if (!dataset) throw new NotFoundError('Image');
    if (dataset.status === 'PUBLISHED') throw new DatasetPublishedError();
  }).finally(() => forgetImages(ctx));
}
