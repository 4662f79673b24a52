import { reviewedBeforeSql } from '../content/lists.sql.ts';
import { statement } from '../../core/sql/statement.ts';
import {
  arrayOf,
  bool,
  int4,
  int8,
  jsonb,
  nullable,
  oneOf,
  text,
  texts,
  timestamptz,
  uuid,
} from '../../core/sql/types.ts';

/** The live images of the datasets of `pd`. */
const IMAGES =
  'JOIN dataset d ON d.id = pd.dataset_id AND d.deleted_at IS NULL JOIN image i ON i.dataset_id = d.id AND i.deleted_at IS NULL';

/** How much is in projects. */
export const projectCounts = statement({
  text: `SELECT p.id, (SELECT count(*) FROM project_dataset pd ${IMAGES} WHERE pd.project_id = p.id) AS images,
      (SELECT count(*) FROM project_member pm WHERE pm.project_id = p.id) AS users
    FROM unnest($ids::uuid[]) p (id)`,
  params: { ids: arrayOf(uuid) },
  row: { id: uuid, images: int8, users: int8 },
});

/** The first images of a dataset behind one of them, in the order of an index, and whether they have annotations in a project. */
export const imagesBehind = statement({
  text: `SELECT i.id, i.name, i.path, i.width, i.height, i.created_date, EXISTS (SELECT FROM annotation a WHERE a.image_id = i.id AND a.project_id = $projectId) AS annotated
    FROM image i WHERE i.dataset_id = $datasetId AND i.deleted_at IS NULL AND i.created_date >= $date AND (i.created_date, i.id) > ($date, $after) ORDER BY i.created_date, i.id LIMIT $limit`,
  params: { projectId: uuid, datasetId: uuid, date: timestamptz, after: uuid, limit: int8 },
  row: {
    id: uuid,
    name: text,
    path: nullable(text),
    width: int4,
    height: int4,
    createdDate: timestamptz,
    annotated: bool,
  },
});

/** For what may take longer than a request, until the transaction ends. */
export const waitWithoutLimit = statement({
  text: `SELECT set_config('statement_timeout', '0', true)`,
  params: {},
  row: { setConfig: text },
});

/** A project that is not deleted, against other changes of it, of its classes or members. */
export const lockProject = statement({
  text: 'SELECT status, version FROM project WHERE id = $id AND deleted_at IS NULL FOR UPDATE',
  params: { id: uuid },
  row: { status: text, version: int4 },
});

/** Adds classes to a project, or changes them: many rows with one parameter. */
export const upsertClasses = statement({
  text: `INSERT INTO annotation_class (id, project_id, name, color, position, supercategory, skeleton)
    SELECT r.id, $projectId, r.name, r.color, r.position, r.supercategory, nullif(r.skeleton, 'null')
      FROM jsonb_to_recordset($classes::jsonb) r (id uuid, name text, color text, position int, supercategory text, skeleton jsonb)
    ON CONFLICT (id) DO UPDATE SET color = excluded.color, supercategory = excluded.supercategory, skeleton = excluded.skeleton`,
  params: { projectId: uuid, classes: jsonb },
  row: {},
});

/** Those of some images that are in a project, always locked in the same order, so that two writers can't deadlock. */
export const lockImages = statement({
  text: `SELECT i.id FROM project_dataset pd ${IMAGES} WHERE pd.project_id = $projectId AND i.id = ANY ($ids) ORDER BY i.id FOR UPDATE OF i`,
  params: { projectId: uuid, ids: arrayOf(uuid) },
  row: { id: uuid },
});

/** A project, so that neither it nor its classes change meanwhile; before its images, as every writer of annotations. */
export const holdProject = statement({
  text: 'SELECT FROM project WHERE id = $id FOR KEY SHARE',
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

/** Annotations as JSON gives them, each for itself: all numbers of an image at once are a gigabyte. */
const GIVEN = `unnest($annotations::text[]) WITH ORDINALITY g (text, place)
    CROSS JOIN LATERAL jsonb_to_record(g.text::jsonb) r (id uuid, class_id uuid, shape text, geometry jsonb, coco jsonb, attributes jsonb)`;

/** SHA-256 of the content of each annotation, in their order. */
const hashesSql = (of: string, order: string): string =>
  `coalesce(array_agg(sha256(convert_to(jsonb_build_array(${of}.class_id, ${of}.shape, coalesce(${of}.geometry, 'null'), coalesce(${of}.coco, 'null'), coalesce(${of}.attributes, 'null'))::text, 'UTF8')) ORDER BY ${order}), '{}')`;

const onImage = { projectId: uuid, imageId: uuid };

/** Has an image `all` annotations, and exactly these after the first `skip` of them, in the order in which they were made? */
export const sameAnnotations = statement({
  text: `SELECT (SELECT count(*) FROM annotation WHERE image_id = $imageId AND project_id = $projectId) = $all
      AND (SELECT ${hashesSql('a', 'a.created_at, a.id')} FROM (SELECT * FROM annotation WHERE image_id = $imageId AND project_id = $projectId ORDER BY created_at, id OFFSET $skip LIMIT cardinality($annotations::text[])) a)
      = (SELECT ${hashesSql('r', 'g.place')} FROM ${GIVEN}) AS same`,
  params: { ...onImage, annotations: texts, all: int8, skip: int8 },
  row: { same: bool },
});

/** Stores annotations of an image. */
export const insertAnnotations = statement({
  text: `INSERT INTO annotation (id, image_id, project_id, class_id, shape, geometry, coco, attributes, created_by, created_at)
    SELECT r.id, $imageId, $projectId, r.class_id, r.shape, nullif(r.geometry, 'null'), r.coco, nullif(r.attributes, 'null'), $userId, $now FROM ${GIVEN}`,
  params: { ...onImage, annotations: texts, userId: nullable(int4), now: timestamptz },
  row: {},
});

/**
 * Sets the state, and says with `work` who annotated it. Leaves who gave it the state where that is the same; nothing is
 * written where the annotations are the same and the state, NONE without a row, is one of `stays`.
 */
export const setReview = statement({
  text: `INSERT INTO image_review AS r (project_id, image_id, state, version, reviewed_by, reviewed_at, annotated_by, annotated_at)
    SELECT $projectId, $imageId, $state, 1, $userId::int, $now::timestamptz, CASE WHEN $work THEN $userId::int END, CASE WHEN $work THEN $now::timestamptz END
    WHERE $changed OR coalesce((SELECT b.state FROM image_review b WHERE b.project_id = $projectId AND b.image_id = $imageId), 'NONE') <> ALL ($stays)
    ON CONFLICT (project_id, image_id) DO UPDATE SET state = excluded.state, version = r.version + 1,
      reviewed_by = CASE WHEN r.state = excluded.state THEN r.reviewed_by ELSE excluded.reviewed_by END, reviewed_at = CASE WHEN r.state = excluded.state THEN r.reviewed_at ELSE excluded.reviewed_at END,
      annotated_by = CASE WHEN $work THEN excluded.annotated_by ELSE r.annotated_by END, annotated_at = CASE WHEN $work THEN excluded.annotated_at ELSE r.annotated_at END`,
  params: {
    ...onImage,
    state: text,
    userId: nullable(int4),
    now: timestamptz,
    work: bool,
    changed: bool,
    stays: arrayOf(text),
  },
  row: {},
});

/** The version of the work on an image; no row is 0. */
export const reviewVersion = statement({
  text: 'SELECT version FROM image_review WHERE project_id = $projectId AND image_id = $imageId',
  params: onImage,
  row: { version: int4 },
});

/** Gives annotations of an image, by id, what JSON says. What its COCO file said stays with the geometry; a crowd stays one. */
export const updateAnnotations = statement({
  text: `UPDATE annotation a SET class_id = r.class_id, shape = r.shape, geometry = nullif(r.geometry, 'null'), attributes = nullif(r.attributes, 'null'),
      coco = CASE WHEN a.shape = r.shape AND a.geometry IS NOT DISTINCT FROM nullif(r.geometry, 'null') THEN a.coco WHEN a.coco ? 'iscrowd' THEN '{"iscrowd": 1}' END
    FROM ${GIVEN} WHERE a.id = r.id AND a.image_id = $imageId AND a.project_id = $projectId`,
  params: { ...onImage, annotations: texts },
  row: {},
});

/** Rows of live images that are in a dataset of their project. */
const REVIEWS = `image_review r JOIN project_dataset pd ON pd.project_id = r.project_id AND pd.dataset_id = r.dataset_id JOIN dataset d ON d.id = pd.dataset_id AND d.deleted_at IS NULL
      JOIN image i ON i.id = r.image_id AND i.deleted_at IS NULL`;
/** Live projects of workspaces of a user. */
const SEEN =
  'project p JOIN workspace w ON w.id = p.workspace_id AND w.deleted_at IS NULL AND p.deleted_at IS NULL JOIN workspace_member m ON m.workspace_id = w.id AND m.user_id = $userId';

/** A project and a member of its workspace, against changes of classes, deletion and removal until the work is stored. */
export const shareProject = statement({
  text: `SELECT p.id FROM ${SEEN} WHERE p.id = $id FOR KEY SHARE OF p, m`,
  params: { id: uuid, userId: int4 },
  row: { id: uuid },
});

/** The work on images in a project, if the user sees it. */
export const imageReviews = statement({
  text: `SELECT i.id AS image_id, coalesce(r.state, 'NONE') AS state, coalesce(r.version, 0) AS version, r.assignee_id, r.annotated_by, r.annotated_at, r.reviewed_by, r.reviewed_at
    FROM ${SEEN} JOIN project_dataset pd ON pd.project_id = p.id ${IMAGES} LEFT JOIN image_review r ON r.project_id = p.id AND r.image_id = i.id
    WHERE p.id = $projectId AND i.id = ANY ($ids)`,
  params: { projectId: uuid, userId: int4, ids: arrayOf(uuid) },
  row: {
    imageId: uuid,
    state: oneOf('NONE', 'ANNOTATED', 'ACCEPTED', 'REJECTED'),
    version: int4,
    assigneeId: nullable(int4),
    annotatedBy: nullable(int4),
    annotatedAt: nullable(timestamptz),
    reviewedBy: nullable(int4),
    reviewedAt: nullable(timestamptz),
  },
});

const inState = (state: string): string => `count(*) FILTER (WHERE r.state = '${state}')`;
const BY_STATE = `${inState('ANNOTATED')} AS annotated, ${inState('ACCEPTED')} AS accepted, ${inState('REJECTED')} AS rejected`;
const byState = { annotated: int8, accepted: int8, rejected: int8 };

/** How many images of projects are in each state. */
export const projectWork = statement({
  text: `SELECT p.id, (SELECT count(*) FROM project_dataset pd ${IMAGES} WHERE pd.project_id = p.id) AS total, r.annotated, r.accepted, r.rejected
    FROM unnest($ids::uuid[]) p (id) CROSS JOIN LATERAL (SELECT ${BY_STATE} FROM ${REVIEWS} WHERE r.project_id = p.id) r`,
  params: { ids: arrayOf(uuid) },
  row: { id: uuid, total: int8, ...byState },
});

/** The same of what is assigned, for each member. */
export const assignedWork = statement({
  text: `SELECT r.project_id, u.login, u.display_name, count(*) AS total, ${inState('NONE')} AS none, ${BY_STATE}
    FROM ${REVIEWS} JOIN "user" u ON u.id = r.assignee_id
    WHERE r.project_id = ANY ($ids) AND r.assignee_id IS NOT NULL GROUP BY r.project_id, u.id ORDER BY u.login COLLATE "C"`,
  params: { ids: arrayOf(uuid) },
  row: { projectId: uuid, login: text, displayName: text, total: int8, none: int8, ...byState },
});

/** How many annotations classes have. */
export const classCounts = statement({
  text: 'SELECT c.id, (SELECT count(*) FROM annotation a WHERE a.class_id = c.id) AS count FROM unnest($ids::uuid[]) c (id)',
  params: { ids: arrayOf(uuid) },
  row: { id: uuid, count: int8 },
});

/** The oldest images of a dataset of a project that are neither annotated nor assigned. */
export const unassignedImages = statement({
  text: `SELECT i.id FROM image i JOIN project_dataset pd ON pd.dataset_id = i.dataset_id AND pd.project_id = $projectId
    WHERE i.dataset_id = $datasetId AND i.deleted_at IS NULL AND NOT EXISTS (${reviewedBeforeSql('$projectId', '$datasetId', `r.state <> 'NONE' OR r.assignee_id IS NOT NULL`)})
    ORDER BY i.created_date, i.id LIMIT $count`,
  params: { projectId: uuid, datasetId: uuid, count: int8 },
  row: { id: uuid },
});

/** Assigns images of a project to a user, or to nobody; says which. Its version tells of annotations alone. */
export const assignImagesTo = statement({
  text: `INSERT INTO image_review AS r (project_id, image_id, state, assignee_id) SELECT pd.project_id, i.id, 'NONE', $userId FROM project_dataset pd ${IMAGES} WHERE pd.project_id = $projectId AND i.id = ANY ($ids)
    ON CONFLICT (project_id, image_id) DO UPDATE SET assignee_id = excluded.assignee_id RETURNING image_id`,
  params: { projectId: uuid, ids: arrayOf(uuid), userId: nullable(int4) },
  row: { imageId: uuid },
});

/** What a stream of a project has seen, if the user still sees the project. */
export const projectPosition = statement({
  text: `SELECT pg_current_snapshot()::text AS snapshot, p.version FROM ${SEEN} WHERE p.id = $projectId`,
  params: { projectId: uuid, userId: int4 },
  row: { snapshot: text, version: int4 },
});

/** Images whose work was changed by transactions that a snapshot does not see, the first ones. */
export const projectChanges = statement({
  text: `SELECT r.image_id FROM ${REVIEWS}
    WHERE r.project_id = $projectId AND r.changed_xid >= (pg_snapshot_xmin($snapshot::text::pg_snapshot)::text)::bigint
      AND NOT pg_visible_in_snapshot((r.changed_xid::text)::xid8, $snapshot::text::pg_snapshot) ORDER BY r.changed_xid, r.image_id LIMIT $limit`,
  params: { projectId: uuid, snapshot: text, limit: int8 },
  row: { imageId: uuid },
});
