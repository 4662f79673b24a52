import DataLoader from 'dataloader';
import { requireViewer } from '../../auth/guards.ts';
import { perRequest, type Context } from '../../core/context/context.ts';
import { NotFoundError } from '../../core/errors.ts';
import { readList } from '../../core/lists/read-list.ts';
import { requireRight } from '../workspaces/workspace.ts';
import { datasetList, type Dataset } from './dataset.ts';

const loader = perRequest(
  (ctx) =>
    new DataLoader<string, Dataset | null>(async (ids) => {
      const found = await readList(
        ctx,
        datasetList(requireViewer(ctx), (params) => `d.id = ANY (${params.add([...ids])}::uuid[])`),
      );
      const byId = new Map(found.map((dataset) => [dataset.id, dataset]));
      return ids.map((id) => byId.get(id) ?? null);
    }),
);

/** The dataset if the viewer is a member of its workspace, else null. GraphQL `dataset`, `node`, `DatasetImage.dataset`. */
export async function loadDataset(ctx: Context, id: string): Promise<Dataset | null> {
  requireViewer(ctx);
  return loader(ctx).load(id);
}

/** The same or NotFoundError; with a right that the role lacks, ForbiddenError. */
export async function requireDataset(ctx: Context, id: string, right?: 'change'): Promise<Dataset> {
  const dataset = await loadDataset(ctx, id);
  if (!dataset) throw new NotFoundError('Dataset');
  if (right) requireRight(dataset, right);
  return dataset;
}

/** Forgets what was read before a write of this request. */
export function forgetDatasets(ctx: Context): void {
  loader(ctx).clearAll();
}
