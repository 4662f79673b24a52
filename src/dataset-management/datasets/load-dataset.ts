import type { SignedInContext } from '../../core/context/context.ts';
import { NotFoundError } from '../../core/errors.ts';
import { loaderById } from '../../core/lists/load-by-id.ts';
import { readList } from '../../core/lists/read-list.ts';
import { isUuid } from '../../core/uuid.ts';
import { requireRight } from '../workspaces/workspace.ts';
import { datasetList, type Dataset } from './dataset.ts';

const loader = loaderById((ctx: SignedInContext, ids: readonly string[]) =>
  readList(ctx, datasetList(ctx.viewer, { ids: ids.filter(isUuid) })),
);

/** The dataset if the viewer is a member of its workspace, else null. GraphQL `dataset`, `node`, `DatasetImage.dataset`. */
export function loadDataset(ctx: SignedInContext, id: string): Promise<Dataset | null> {
  return loader(ctx).load(id);
}

/** The same, or NotFoundError; ForbiddenError if the role lacks the given right. */
export async function requireDataset(
  ctx: SignedInContext,
  id: string,
  right?: 'change',
): Promise<Dataset> {
  const dataset = await loadDataset(ctx, id);
  if (!dataset) throw new NotFoundError('Dataset');
  if (right) requireRight(dataset, right);
  return dataset;
}

/** Forgets what this request read before a write. */
export function forgetDatasets(ctx: SignedInContext): void {
  loader(ctx).clearAll();
}
