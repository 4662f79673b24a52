import type { Viewer } from '../../../core/context/viewer.ts';
import type { ListQuery } from '../../../core/lists/list.sql.ts';
import { annotations, type WhichAnnotations } from '../../content/content.sql.ts';
import type { AnnotationShape } from '../annotations/geometry.ts';

interface AnnotationRow {
  id: string;
  imageId: string;
  projectId: string;
  className: string;
  shape: AnnotationShape;
  /** In the form that the shape requires; null for a classification. */
  geometry: unknown;
  /** By name; null for none. */
  attributes: unknown;
  /** Its author; null if it was not a person, or is not one any more. */
  createdBy: number | null;
  /** As PostgreSQL prints it. */
  createdAt: string;
}

/** An annotation of an image in a project, for a member of the workspace. */
export class Annotation implements AnnotationRow {
  readonly id: string;
  readonly imageId: string;
  readonly projectId: string;
  readonly className: string;
  readonly shape: AnnotationShape;
  readonly geometry: unknown;
  readonly attributes: unknown;
  readonly createdBy: number | null;
  readonly createdAt: string;

  constructor(row: AnnotationRow) {
    this.id = row.id;
    this.imageId = row.imageId;
    this.projectId = row.projectId;
    this.className = row.className;
    this.shape = row.shape;
    this.geometry = row.geometry;
    this.attributes = row.attributes;
    this.createdBy = row.createdBy;
    this.createdAt = row.createdAt;
  }
}

/** The annotations that the viewer sees, in the order in which they were made. */
export function annotationList(viewer: Viewer, which: WhichAnnotations): ListQuery<Annotation> {
  return annotations.query(
    { viewer, which },
    (row) => new Annotation(row),
    (annotation) => [annotation.createdAt, annotation.id],
  );
}
