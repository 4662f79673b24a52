import { requireViewer } from '../../auth/guards.ts';
import type { Connection } from '../../core/lists/pagination.ts';
import type { Context } from '../../core/context/context.ts';
import { orderBySql, Params, type PageRequest } from '../../core/lists/pagination.ts';
import { requireDataset } from '../datasets/load-dataset.ts';
import { countList, readPage, type ListQuery } from '../../core/lists/read-list.ts';
import { imageList, type DatasetImage } from './image.ts';

export interface NumberedPage {
  rows: DatasetImage[];
  pagesCount: number;
  pageNumber: number;
  totalCount: number;
}

/** A numbered page of a dataset's images, from 1; past the end it is empty (D-63). REST: GET /api/Datasets/images. Throws NotFoundError. */
export async function listImages(
  ctx: Context,
  args: { datasetId: string; pageSize: number; pageNumber: number },
): Promise<NumberedPage> {
  await requireDataset(ctx, args.datasetId);
  const { datasetId, pageSize, pageNumber } = args;
  const query = datasetImages(ctx, { datasetId });
  const params = new Params();
  const source = query.source(params);
  const limit = params.add(pageSize);
  const offset = params.add((pageNumber - 1) * pageSize);
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

/** A page by keyset. GraphQL `Dataset.images`. */
export function pageImages(
  ctx: Context,
  args: { datasetId: string; hasAnnotations?: boolean | null | undefined; page: PageRequest },
): Promise<Connection<DatasetImage>> {
  return readPage(ctx, datasetImages(ctx, args), args.page);
}

/** The list that a new image joins. */
export function datasetImages(
  ctx: Context,
  args: { datasetId: string; hasAnnotations?: boolean | null | undefined },
): ListQuery<DatasetImage> {
  const annotated =
    args.hasAnnotations == null
      ? ''
      : ` AND i.annotation_count ${args.hasAnnotations ? '>' : '='} 0`;
  return imageList(
    requireViewer(ctx),
    (params) => `i.dataset_id = ${params.add(args.datasetId)}${annotated}`,
  );
}
