import type { Context } from '../../../core/context/context.ts';
import { Params } from '../../../core/lists/pagination.ts';
import type { CocoExtra } from '../../projects/annotations/coco-extra.ts';
import type { AnnotationShape } from '../../projects/annotations/geometry.ts';
import type { ReviewState } from '../../projects/annotations/review-image.ts';
import { exportConditionSql, type ExportFilter } from './export-filter.ts';

export interface ExportedAnnotation {
  className: string;
  /** Position of the class: the category of COCO. */
  category: number;
  shape: AnnotationShape;
  geometry: unknown;
  /** What its COCO file said of it besides. */
  coco: CocoExtra | null;
  createdAt: Date;
}

export interface ExportedImage {
  id: string;
  datasetId: string;
  name: string;
  width: number;
  height: number;
  mimeType: string | null;
  createdDate: Date;
  storageKey: string;
  size: number;
  sha256: string;
  crc32: number;
  state: ReviewState;
  annotations: ExportedAnnotation[];
}

/** Ids of the images that an export holds, by dataset and age: chosen once, so that what changes meanwhile doesn't tear the archive. */
export async function selectImages(
  ctx: Context,
  projectId: string,
  filter: ExportFilter,
): Promise<string[]> {
  const params = new Params();
  const condition = exportConditionSql(filter, projectId, params);
  const rows = await ctx.db.rows(
    `SELECT i.id FROM project_dataset pd JOIN dataset d ON d.id = pd.dataset_id AND d.deleted_at IS NULL JOIN image i ON i.dataset_id = d.id AND i.deleted_at IS NULL
     WHERE pd.project_id = $1 AND ${condition} ORDER BY d.created_at, d.id, i.created_date, i.id`,
    params.values,
  );
  return rows.flatMap(([id]) => id ?? []);
}

/** Loads some of them with their annotations, in the order given. Images that were deleted meanwhile are still there: their bytes are kept for 30 days. */
export async function loadExportedImages(
  ctx: Context,
  projectId: string,
  ids: readonly string[],
): Promise<ExportedImage[]> {
  const images = await ctx.db.pool.query<
    Omit<ExportedImage, 'size' | 'crc32' | 'annotations'> & { size: string; crc32: string }
  >(
    `SELECT i.id, i.dataset_id AS "datasetId", i.name, i.width, i.height, i.mime_type AS "mimeType", i.created_date AS "createdDate",
       b.storage_key AS "storageKey", b.byte_size AS size, b.sha256, b.crc32, coalesce(r.state, 'NONE') AS state
     FROM image i JOIN blob b ON b.id = i.blob_id LEFT JOIN image_review r ON r.project_id = $1 AND r.image_id = i.id WHERE i.id = ANY ($2::uuid[])`,
    [projectId, ids],
  );
  const annotations = await ctx.db.pool.query<ExportedAnnotation & { imageId: string }>(
    `SELECT a.image_id AS "imageId", c.name AS "className", c.position AS category, a.shape, a.geometry, a.coco, a.created_at AS "createdAt"
     FROM annotation a JOIN annotation_class c ON c.id = a.class_id WHERE a.project_id = $1 AND a.image_id = ANY ($2::uuid[]) ORDER BY a.created_at, a.id`,
    [projectId, ids],
  );
  const byImage = new Map<string, ExportedAnnotation[]>();
  for (const { imageId, ...annotation } of annotations.rows) {
    const list = byImage.get(imageId);
    if (list) list.push(annotation);
    else byImage.set(imageId, [annotation]);
  }
  const byId = new Map(
    images.rows.map((row) => [
      row.id,
      {
        ...row,
        size: Number(row.size),
        crc32: Number(row.crc32),
        annotations: byImage.get(row.id) ?? [],
      },
    ]),
  );
  return ids.flatMap((id) => byId.get(id) ?? []);
}
