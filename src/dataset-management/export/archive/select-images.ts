import type { Context } from '../../../core/context/context.ts';
import type { RowOf } from '../../../core/sql/types.ts';
import { parseCocoExtra, type CocoExtra } from '../../projects/annotations/coco-extra.ts';
import type { ExportFilter } from './export-filter.ts';
import { exportedAnnotations, exportedIds, exportedImages } from './exports.sql.ts';

export interface ExportedAnnotation extends Omit<
  RowOf<typeof exportedAnnotations.row>,
  'imageId' | 'coco'
> {
  /** Additional data from its COCO file. */
  coco: CocoExtra | null;
}

export interface ExportedImage extends RowOf<typeof exportedImages.row> {
  annotations: ExportedAnnotation[];
}

/**
 * Ids of the images in an export, by dataset and age. Chosen once, so that changes during the export don't make the
 * archive inconsistent.
 */
export async function selectImages(
  ctx: Context,
  projectId: string,
  filter: ExportFilter,
): Promise<string[]> {
  return (await exportedIds.rows(ctx.db, { projectId, filter })).map(({ id }) => id);
}

/**
 * Loads some of them with their annotations, in the order given. Images that were deleted meanwhile are still there:
 * their bytes are kept for 30 days.
 */
export async function loadExportedImages(
  ctx: Context,
  projectId: string,
  ids: readonly string[],
): Promise<ExportedImage[]> {
  const byImage = new Map<string, ExportedAnnotation[]>();
  const images = await exportedImages.rows(ctx.db, { projectId, ids });
  for (const { imageId, ...row } of await exportedAnnotations.rows(ctx.db, { projectId, ids })) {
    const annotation = { ...row, coco: parseCocoExtra(row.coco) };
    const list = byImage.get(imageId);
    if (list) list.push(annotation);
    else byImage.set(imageId, [annotation]);
  }
  const byId = new Map(
    images.map((row) => [row.id, { ...row, annotations: byImage.get(row.id) ?? [] }]),
  );
  return ids.flatMap((id) => byId.get(id) ?? []);
}
