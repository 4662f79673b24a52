import DataLoader from 'dataloader';
import { perRequest, type SignedInContext } from '../../core/context/context.ts';
import { isStorable } from '../../core/text.ts';
import type { DatasetImage } from './image.ts';
import { loadImage } from './load-image.ts';

interface Place {
  datasetId: string;
  /** In Unicode's form NFC. */
  path: string;
}

/** Never cached: a document may upload an image and then ask for it. */
const loader = perRequest(
  (ctx: SignedInContext) =>
    new DataLoader<Place, string | null>(
      async (places) => {
        const found = await ctx.db.prisma.image.findMany({
          where: {
            deletedAt: null,
            OR: places.map(({ datasetId, path }) => ({ datasetId, path })),
          },
          select: { id: true, datasetId: true, path: true },
        });
        return places.map(
          ({ datasetId, path }) =>
            found.find((row) => row.datasetId === datasetId && row.path === path)?.id ?? null,
        );
      },
      { cache: false, maxBatchSize: 100 },
    ),
);

/**
 * The image of a dataset that was uploaded under this path, if there is one that the viewer sees. GraphQL
 * `Dataset.imageByPath`.
 */
export async function findByPath(
  ctx: SignedInContext,
  { datasetId, path }: Place,
): Promise<DatasetImage | null> {
  if (!isStorable(path)) return null;
  const id = await loader(ctx).load({ datasetId, path: path.normalize('NFC') });
  return id === null ? null : loadImage(ctx, id);
}
