import type { SignedInContext } from '../../core/context/context.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import { ConflictError, NotFoundError } from '../../core/errors.ts';
import { checkNaming } from '../content/check-naming.ts';
import type { Dataset } from './dataset.ts';
import { forgetDatasets, requireDataset } from './load-dataset.ts';

/**
 * Changes the name and description of a dataset, published or not (D-65). GraphQL `updateDataset`, REST POST
 * /api/Datasets/update. Throws ValidationError, NotFoundError, ForbiddenError, ConflictError when `expectedVersion` is
 * not the dataset's.
 */
export async function updateDataset(
  ctx: SignedInContext,
  args: {
    datasetId: string;
    name: string;
    description: string;
    expectedVersion?: number | null | undefined;
  },
): Promise<Dataset> {
  const text = checkNaming({ name: args.name, description: args.description });
  const { id } = await requireDataset(ctx, args.datasetId, 'change');
  const version = args.expectedVersion ?? undefined;
  await inTransaction(ctx, async ({ db }) => {
    const { dataset } = db.prisma;
    const { count } = await dataset.updateMany({
      where: { id, deletedAt: null, ...(version === undefined ? {} : { version }) },
      data: { ...text, version: { increment: 1 }, updatedAt: new Date(ctx.clock()) },
    });
    if (count > 0) return;
    const stored = await dataset.findUnique({ where: { id, deletedAt: null } });
    throw stored ? new ConflictError(stored.version) : new NotFoundError('Dataset');
  });
  forgetDatasets(ctx);
  return requireDataset(ctx, id);
}
