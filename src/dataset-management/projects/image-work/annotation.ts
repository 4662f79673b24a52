import type { Viewer } from '../../../core/context/viewer.ts';
import { StoredJson } from '../../../core/json/json.ts';
import type { ListQuery } from '../../../core/lists/list.sql.ts';
import { rowClass } from '../../../core/lists/row-class.ts';
import { annotations, type WhichAnnotations } from '../../content/content.sql.ts';
import type { AnnotationShape } from '../annotations/geometry.ts';

interface AnnotationRow {
  id: string;
  imageId: string;
  projectId: string;
  className: string;
  shape: AnnotationShape;
  /** In the form that the shape requires; null for a classification. */
  geometry: StoredJson | null;
  /** By name; null for none. */
  attributes: StoredJson | null;
  /** Its author; null if it was not a person, or is not one any more. */
  createdBy: number | null;
  /** As PostgreSQL prints it. */
  createdAt: string;
}

/** An annotation of an image in a project, for a member of the workspace. */
export class Annotation extends rowClass<AnnotationRow>() {}

/** The annotations that the viewer sees, in the order in which they were made. */
export function annotationList(viewer: Viewer, which: WhichAnnotations): ListQuery<Annotation> {
  return annotations.query(
    { viewer, which },
    (row) =>
      new Annotation({
        ...row,
        geometry: stored(row.geometry),
        attributes: stored(row.attributes),
      }),
    (annotation) => [annotation.createdAt, annotation.id],
  );
}

const stored = (text: string | null): StoredJson | null =>
  text === null ? null : new StoredJson(text);
