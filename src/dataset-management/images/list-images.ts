import type { SignedInContext } from '../../core/context/context.ts';
import { uuid } from '../../core/sql/types.ts';
import { requireDataset } from '../datasets/load-dataset.ts';
import { numberedPage, type ListQuery } from '../../core/lists/list.sql.ts';
import { countList } from '../../core/lists/read-list.ts';
import { imageList, type DatasetImage } from './image.ts';

export interface NumberedPage {
  rows: DatasetImage[];
  pagesCount: number;
  pageNumber: number;
  totalCount: number;
}

/**
 * A numbered page of a dataset's images, from 1; past the end it is empty (D-63). REST: GET /api/Datasets/images.
 * Throws NotFoundError.
 */
export async function listImages(
  ctx: SignedInContext,
  args: { datasetId: string; pageSize: number; pageNumber: number },
): Promise<NumberedPage> {
  await requireDataset(ctx, args.datasetId);
  const { datasetId, pageSize, pageNumber } = args;
  const query = datasetImages(ctx, { datasetId });
  const [totalCount, rows] = await Promise.all([
    countList(ctx, query),
    numberedPage.read(ctx.reads, { query, limit: pageSize, offset: (pageNumber - 1) * pageSize }),
  ]);
  return {
    rows: rows.map(({ cells }) => query.read(cells)),
    pagesCount: Math.ceil(totalCount / pageSize),
    pageNumber,
    totalCount,
  };
}

/** The list to which a new image belongs. */
export function datasetImages(
  ctx: SignedInContext,
  { datasetId }: { datasetId: string },
): ListQuery<DatasetImage> {
  return imageList(ctx.viewer, { dataset: (params) => params.add(uuid, datasetId) });
}
