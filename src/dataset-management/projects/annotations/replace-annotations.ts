import { randomUUID } from 'node:crypto';
import type { ClientBase } from 'pg';
import type { CocoExtra } from './coco-extra.ts';
import type { AnnotationShape } from './geometry.ts';
import type { ReviewState } from './review-image.ts';

/** Annotations that one image of one project may have. */
export const MAX_ANNOTATIONS = 2000;

export interface AnnotatedImage {
  projectId: string;
  imageId: string;
  /** Checked, with classes of the project. */
  annotations: readonly {
    class_id: string;
    shape: AnnotationShape;
    geometry: unknown;
    /** What a COCO file says besides. */
    coco?: CocoExtra | undefined;
  }[];
  state: Exclude<ReviewState, 'NONE'>;
  /** Null: nobody in person. */
  userId: number | null;
  now: Date;
}

/** Makes these the annotations of an image in a project, and sets its review; what is so already is left alone. Within a transaction that has locked the image. */
export async function replaceAnnotations(
  client: ClientBase,
  { projectId, imageId, annotations, state, userId, now }: AnnotatedImage,
): Promise<void> {
  // Ascending ids keep the order in which the annotations were given.
  const ids = annotations.map(() => randomUUID()).sort();
  const json = JSON.stringify(
    annotations.map((annotation, index) => ({ ...annotation, id: ids[index] })),
  );
  const { rows } = await client.query<{ same: boolean }>(
    `SELECT (SELECT coalesce(jsonb_agg(jsonb_build_array(class_id, shape, coalesce(geometry, 'null'), coalesce(coco, 'null')) ORDER BY id), '[]') FROM annotation WHERE image_id = $1 AND project_id = $2)
       = (SELECT coalesce(jsonb_agg(jsonb_build_array(r.class_id, r.shape, coalesce(r.geometry, 'null'), coalesce(r.coco, 'null')) ORDER BY r.id), '[]') FROM jsonb_to_recordset($3::jsonb) r (id uuid, class_id uuid, shape text, geometry jsonb, coco jsonb)) AS same`,
    [imageId, projectId, json],
  );
  if (!rows[0]?.same) {
    await client.query('DELETE FROM annotation WHERE image_id = $1 AND project_id = $2', [
      imageId,
      projectId,
    ]);
    await client.query(
      `INSERT INTO annotation (id, image_id, project_id, class_id, shape, geometry, coco, created_by, created_at)
       SELECT r.id, $1, $2, r.class_id, r.shape, nullif(r.geometry, 'null'), r.coco, $4, $5 FROM jsonb_to_recordset($3::jsonb) r (id uuid, class_id uuid, shape text, geometry jsonb, coco jsonb)`,
      [imageId, projectId, json, userId, now],
    );
  }
  await client.query(
    `INSERT INTO image_review AS r (project_id, image_id, state, reviewed_by, reviewed_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (project_id, image_id) DO UPDATE SET state = excluded.state, reviewed_by = excluded.reviewed_by, reviewed_at = excluded.reviewed_at WHERE r.state <> excluded.state`,
    [projectId, imageId, state, userId, now],
  );
}
