import type { SignedInContext } from '../../core/context/context.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import type { Dataset } from '../datasets/dataset.ts';
import { requireDataset } from '../datasets/load-dataset.ts';
import { requireProject } from './load-project.ts';
import type { Project } from './project.ts';

/**
 * Removes a dataset from a project; repeating it changes nothing (F221). Its annotations are kept, and reappear when it
 * is assigned again. GraphQL `unassignDatasetFromProject`, REST POST /api/Projects/UnlinkDataset. Throws NotFoundError,
 * ForbiddenError.
 */
export async function unassignDataset(
  ctx: SignedInContext,
  args: { projectId: string; datasetId: string },
): Promise<{ project: Project; dataset: Dataset }> {
  const project = await requireProject(ctx, args.projectId, 'change');
  const dataset = await requireDataset(ctx, args.datasetId, 'change');
  await inTransaction(ctx, ({ db }) =>
    db.prisma.projectDataset.deleteMany({
      where: { projectId: project.id, datasetId: dataset.id },
    }),
  );
  return { project, dataset };
}
