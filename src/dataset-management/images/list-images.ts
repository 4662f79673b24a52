import type { SignedInContext } from '../../core/context/context.ts';
import { TypedParams } from '../../core/sql/statement.ts';
import { int4, int8, uuid } from '../../core/sql/types.ts';
import { orderBySql, type PageRequest } from '../../core/lists/pagination.ts';
import { requireDataset } from '../datasets/load-dataset.ts';
import { pagesBelow } from '../../core/lists/pages-below.ts';
import { countList, type ListQuery } from '../../core/lists/read-list.ts';
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
  const params = new TypedParams();
  const source = query.source(params);
  const limit = params.add(int4, pageSize);
  const offset = params.add(int8, (pageNumber - 1) * pageSize);
  const [totalCount, rows] = await Promise.all([
    countList(ctx, query),
    ctx.db.rows(
      `SELECT ${query.columns} ${source} ORDER BY ${orderBySql(query.order, false)} LIMIT ${limit}::int OFFSET ${offset}::bigint`,
      params.values,
    ),
  ]);
  return {
    rows: rows.map(query.read),
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
  return imageList(ctx.viewer, (params) => `i.dataset_id = ${params.add(uuid, datasetId)}`);
}

/** A page of the images of a dataset by keyset. GraphQL `Dataset.images`. */
export const pageImages = pagesBelow(
  (
    { viewer },
    dataset,
    args: { parent: string; page: PageRequest; hasAnnotations: boolean | null | undefined },
  ) => {
    const annotated =
      args.hasAnnotations == null
        ? ''
        : ` AND i.annotation_count ${args.hasAnnotations ? '>' : '='} 0`;
    return imageList(viewer, (params) => `i.dataset_id = ${dataset(params)}${annotated}`);
  },
);
