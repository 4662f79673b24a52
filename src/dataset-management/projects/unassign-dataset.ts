import type { Context } from '../../core/context/context.ts';
import type { Dataset } from '../datasets/dataset.ts';
import { requireDataset } from '../datasets/load-dataset.ts';
import { requireProject } from './load-project.ts';
import type { Project } from './project.ts';

/**
 * Takes a dataset out of a project; repeating it changes nothing (F221). Annotations stay, and are back when the dataset is assigned again.
 * GraphQL `unassignDatasetFromProject`, REST POST /api/Projects/UnlinkDataset. Throws NotFoundError, ForbiddenError.
 */
export async function unassignDataset(
  ctx: Context,
  args: { projectId: string; datasetId: string },
): Promise<{ project: Project; dataset: Dataset }> {
  const project = await requireProject(ctx, args.projectId, 'change');
  const dataset = await requireDataset(ctx, args.datasetId, 'change');
  await ctx.db.rows('DELETE FROM project_dataset WHERE project_id = $1 AND dataset_id = $2', [
    project.id,
    dataset.id,
  ]);
  return { project, dataset };
}
