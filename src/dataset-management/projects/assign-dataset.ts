import type { SignedInContext } from '../../core/context/context.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import type { Dataset } from '../datasets/dataset.ts';
import { requireDataset } from '../datasets/load-dataset.ts';
import { refusal } from '../envelope/dataset-errors.ts';
import { requireProject } from './load-project.ts';
import type { Project } from './project.ts';

/**
 * Assigns a dataset to a project of the same workspace; repeating it changes nothing (F220). GraphQL
 * `assignDatasetToProject`, REST POST /api/Projects/AssignDataset. Throws NotFoundError, ForbiddenError,
 * ValidationError (WORKSPACE_MISMATCH).
 */
export async function assignDataset(
  ctx: SignedInContext,
  args: { projectId: string; datasetId: string },
): Promise<{ project: Project; dataset: Dataset }> {
  const project = await requireProject(ctx, args.projectId, 'change');
  const dataset = await requireDataset(ctx, args.datasetId, 'change');
  if (project.workspaceId !== dataset.workspaceId) throw refusal('WORKSPACE_MISMATCH', 'datasetId');
  await inTransaction(ctx, ({ db }) =>
    db.prisma.projectDataset.createMany({
      data: { projectId: project.id, datasetId: dataset.id, assignedAt: new Date(ctx.clock()) },
      skipDuplicates: true,
    }),
  );
  return { project, dataset };
}
