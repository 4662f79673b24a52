import type { Context } from '../../../core/context/context.ts';
import type { RowOf } from '../../../core/sql/types.ts';
import { storedAttributes, type Attributes } from '../../projects/annotations/attributes.ts';
import { parseCocoExtra, type CocoExtra } from '../../projects/annotations/coco-extra.ts';
import { listAnnotationClasses } from '../../projects/annotations/list-annotation-classes.ts';
import type { ExportFilter } from './export-filter.ts';
import type { ClassList, ExportedClass } from './class-list.ts';
import { exportedAnnotations, exportedIds, exportedImages } from './exports.sql.ts';

export interface ExportedAnnotation
  extends ExportedClass, Pick<RowOf<typeof exportedAnnotations.row>, 'shape' | 'createdAt'> {
  geometry: unknown;
  /** Additional data from its COCO file. */
  coco: CocoExtra | null;
  attributes: Attributes | null;
}

export interface ExportedImage extends RowOf<typeof exportedImages.row> {
  /** Those of a project are decoded one after the other, each time anew. */
  annotations: Iterable<ExportedAnnotation> & { readonly length: number };
}

/** An image of an export, and how many annotations it has in all projects. */
export type SelectedImage = RowOf<typeof exportedIds.row>;

/**
 * Ids of the images in an export, by dataset and age. Chosen once, so that changes during the export don't make the
 * archive inconsistent.
 */
export async function selectImages(
  ctx: Context,
  which: { projectId: string; filter: ExportFilter; assignee: number | undefined },
): Promise<SelectedImage[]> {
  return exportedIds.rows(ctx.db, which);
}

/**
 * Loads some of them with their annotations, in the order given. Images that were deleted meanwhile are still there:
 * their bytes are kept for 30 days. Classes that have come meanwhile are added to the list.
 */
export async function loadExportedImages(
  ctx: Context,
  { projectId, classes }: { projectId: string; classes: ClassList },
  ids: readonly string[],
): Promise<ExportedImage[]> {
  const byImage = new Map<string, Encoded[]>();
  const images = await exportedImages.rows(ctx.db, { projectId, ids });
  const annotations = await exportedAnnotations.rows(ctx.db, { projectId, ids });
  if (annotations.some(({ classId }) => !classes.find(classId)))
    classes.add(await listAnnotationClasses(ctx, projectId));
  for (const { imageId, classId, ...row } of annotations) {
    const found = classes.find(classId);
    // Its class has just been removed, and it with it.
    if (!found) continue;
    const list = byImage.get(imageId);
    if (list) list.push({ ...found, ...row });
    else byImage.set(imageId, [{ ...found, ...row }]);
  }
  const byId = new Map(
    images.map((row) => [row.id, { ...row, annotations: decoded(byImage.get(row.id) ?? []) }]),
  );
  return ids.flatMap((id) => byId.get(id) ?? []);
}

type Encoded = ExportedClass & Omit<RowOf<typeof exportedAnnotations.row>, 'imageId' | 'classId'>;

function decoded(rows: readonly Encoded[]): ExportedImage['annotations'] {
  const parse = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
  return {
    length: rows.length,
    *[Symbol.iterator]() {
      for (const row of rows)
        yield {
          ...row,
          geometry: parse(row.geometry),
          coco: parseCocoExtra(parse(row.coco)),
          attributes: storedAttributes(parse(row.attributes)),
        };
    },
  };
}
