import type { SignedInContext } from '../../core/context/context.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import type { Dataset } from './dataset.ts';
import { forgetDatasets, requireDataset } from './load-dataset.ts';

/**
 * Publishes a dataset for good, which freezes its images; repeating it changes nothing (D-65).
 * GraphQL `publishDataset`, REST POST /api/Datasets/publish. Throws NotFoundError, ForbiddenError.
 */
export async function publishDataset(
  ctx: SignedInContext,
  args: { datasetId: string },
): Promise<Dataset> {
  const { id } = await requireDataset(ctx, args.datasetId, 'change');
  const now = new Date(ctx.clock());
  await inTransaction(ctx, ({ db }) =>
    db.prisma.dataset.updateMany({
      where: { id, status: 'DRAFT', deletedAt: null },
      data: { status: 'PUBLISHED', publishedAt: now, updatedAt: now, version: { increment: 1 } },
    }),
  );
  forgetDatasets(ctx);
  return requireDataset(ctx, id);
}
