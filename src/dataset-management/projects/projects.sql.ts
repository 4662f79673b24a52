import { statement } from '../../core/sql/statement.ts';
import {
  arrayOf,
  bool,
  int4,
  int8,
  jsonb,
  nullable,
  text,
  timestamptz,
  uuid,
} from '../../core/sql/types.ts';

/** How much is in projects. */
export const projectCounts = statement({
  text: `SELECT p.id, (SELECT count(*) FROM project_dataset pd JOIN dataset d ON d.id = pd.dataset_id AND d.deleted_at IS NULL
        JOIN image i ON i.dataset_id = d.id AND i.deleted_at IS NULL WHERE pd.project_id = p.id) AS images,
      (SELECT count(*) FROM project_member pm WHERE pm.project_id = p.id) AS users
    FROM unnest($ids::uuid[]) p (id)`,
  params: { ids: arrayOf(uuid) },
  row: { id: uuid, images: int8, users: int8 },
});

/** Everything in a project for which a COCO file may have annotations. */
export const projectImages = statement({
  text: `SELECT i.id, i.name, i.width, i.height, d.name AS dataset_name
    FROM project_dataset pd JOIN dataset d ON d.id = pd.dataset_id AND d.deleted_at IS NULL JOIN image i ON i.dataset_id = d.id AND i.deleted_at IS NULL WHERE pd.project_id = $projectId`,
  params: { projectId: uuid },
  row: { id: uuid, name: text, width: int4, height: int4, datasetName: text },
});

/** For what may take longer than a request, until the transaction ends. */
export const waitWithoutLimit = statement({
  text: `SELECT set_config('statement_timeout', '0', true)`,
  params: {},
  row: { setConfig: text },
});

/** A project, against other changes of its classes. */
export const lockProject = statement({
  text: 'SELECT FROM project WHERE id = $id FOR UPDATE',
  params: { id: uuid },
  row: {},
});

/** Those of some images that are live, always locked in the same order, so that two writers can't deadlock. */
export const lockImages = statement({
  text: 'SELECT id FROM image WHERE id = ANY ($ids) AND deleted_at IS NULL ORDER BY id FOR UPDATE',
  params: { ids: arrayOf(uuid) },
  row: { id: uuid },
});

/** An image, live or not, before its annotations are written: their trigger takes it too. */
export const lockImage = statement({
  text: 'SELECT FROM image WHERE id = $id FOR UPDATE',
  params: { id: uuid },
  row: {},
});

/** An image if it is one of a project's. */
export const lockProjectImage = statement({
  text: `SELECT i.width, i.height FROM image i JOIN dataset d ON d.id = i.dataset_id AND d.deleted_at IS NULL JOIN project_dataset pd ON pd.dataset_id = d.id AND pd.project_id = $projectId
    JOIN project p ON p.id = pd.project_id AND p.deleted_at IS NULL WHERE i.id = $imageId AND i.deleted_at IS NULL FOR UPDATE OF i`,
  params: { projectId: uuid, imageId: uuid },
  row: { width: int4, height: int4 },
});

/** Annotations as JSON gives them. */
const GIVEN =
  'jsonb_to_recordset($annotations::jsonb) r (id uuid, class_id uuid, shape text, geometry jsonb, coco jsonb)';

const onImage = { projectId: uuid, imageId: uuid };

/** Has an image exactly these annotations? */
export const sameAnnotations = statement({
  text: `SELECT (SELECT coalesce(jsonb_agg(jsonb_build_array(class_id, shape, coalesce(geometry, 'null'), coalesce(coco, 'null')) ORDER BY id), '[]') FROM annotation WHERE image_id = $imageId AND project_id = $projectId)
      = (SELECT coalesce(jsonb_agg(jsonb_build_array(r.class_id, r.shape, coalesce(r.geometry, 'null'), coalesce(r.coco, 'null')) ORDER BY r.id), '[]') FROM ${GIVEN}) AS same`,
  params: { ...onImage, annotations: jsonb },
  row: { same: bool },
});

/** Many rows with one parameter. */
export const insertAnnotations = statement({
  text: `INSERT INTO annotation (id, image_id, project_id, class_id, shape, geometry, coco, created_by, created_at)
    SELECT r.id, $imageId, $projectId, r.class_id, r.shape, nullif(r.geometry, 'null'), r.coco, $userId, $now FROM ${GIVEN}`,
  params: { ...onImage, annotations: jsonb, userId: nullable(int4), now: timestamptz },
  row: {},
});

/** Leaves who reviewed it, and when, where the state is the same. */
export const setReview = statement({
  text: `INSERT INTO image_review AS r (project_id, image_id, state, reviewed_by, reviewed_at) VALUES ($projectId, $imageId, $state, $userId, $now)
    ON CONFLICT (project_id, image_id) DO UPDATE SET state = excluded.state, reviewed_by = excluded.reviewed_by, reviewed_at = excluded.reviewed_at WHERE r.state <> excluded.state`,
  params: { ...onImage, state: text, userId: nullable(int4), now: timestamptz },
  row: {},
});
