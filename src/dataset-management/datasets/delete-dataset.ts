import type { SignedInContext } from '../../core/context/context.ts';
import { deleteSoftly } from '../content/delete-softly.ts';
import { forgetDatasets, requireDataset } from './load-dataset.ts';

/**
 * Deletes a dataset softly: it leaves its projects and can be brought back for 30 days (D-66). Returns the token that undoes it.
 * GraphQL `deleteDataset`, REST POST /api/Datasets/delete. Throws NotFoundError, ForbiddenError.
 */
export async function deleteDataset(
  ctx: SignedInContext,
  args: { datasetId: string },
): Promise<string> {
  const { id } = await requireDataset(ctx, args.datasetId, 'change');
  const undoToken = await deleteSoftly(ctx, 'dataset', id);
  forgetDatasets(ctx);
  return undoToken;
}
