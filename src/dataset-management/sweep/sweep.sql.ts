import { statement } from '../../core/sql/statement.ts';
import { int8, nullable, text, timestamptz, uuid, uuids } from '../../core/sql/types.ts';

// Each removes some rows, so that none takes long, and leaves out those that somebody else has locked.

const some = { before: timestamptz, limit: int8 };

/** Images that were deleted before. */
export const removeImages = statement({
  text: `DELETE FROM image WHERE id = ANY (ARRAY(SELECT i.id FROM image i WHERE i.deleted_at < $before LIMIT $limit FOR UPDATE SKIP LOCKED)) RETURNING id`,
  params: some,
  row: { id: uuid },
});

/** Images whose dataset or workspace was. Sorted, so that an index of the dataset finds them, however many others there are. */
export const removeImagesBelow = statement({
  text: `DELETE FROM image WHERE id = ANY (ARRAY(SELECT i.id FROM dataset d JOIN workspace w ON w.id = d.workspace_id
      CROSS JOIN LATERAL (SELECT id FROM image WHERE dataset_id = d.id ORDER BY created_date, id LIMIT $limit FOR UPDATE SKIP LOCKED) i
      WHERE d.deleted_at < $before OR w.deleted_at < $before LIMIT $limit)) RETURNING id`,
  params: some,
  row: { id: uuid },
});

/** Where rows of a table are whose project or workspace was deleted before. */
const ofProjects = (table: string): string => `ANY (ARRAY(
      SELECT r.ctid FROM project p JOIN workspace w ON w.id = p.workspace_id
      CROSS JOIN LATERAL (SELECT ctid FROM ${table} WHERE project_id = p.id LIMIT $limit FOR UPDATE SKIP LOCKED) r
      WHERE p.deleted_at < $before OR w.deleted_at < $before LIMIT $limit))`;

/** Their annotations, on images that stay. */
export const removeAnnotations = statement({
  text: `DELETE FROM annotation WHERE ctid = ${ofProjects('annotation')} RETURNING project_id`,
  params: some,
  row: { projectId: uuid },
});

/** Their reviews. */
export const removeReviews = statement({
  text: `DELETE FROM image_review WHERE ctid = ${ofProjects('image_review')} RETURNING project_id`,
  params: some,
  row: { projectId: uuid },
});

/** Blobs in the order of their ids, some after another. */
export const blobsAfter = statement({
  text: 'SELECT id FROM blob WHERE $after::uuid IS NULL OR id > $after ORDER BY id LIMIT $limit',
  params: { after: nullable(uuid), limit: int8 },
  row: { id: uuid },
});

const UNUSED = `b.id = ANY ($ids) AND b.created_at < $before AND NOT EXISTS (SELECT FROM image i WHERE i.blob_id = b.id)
    AND NOT EXISTS (SELECT FROM image i WHERE i.thumb_blob_id = b.id) AND NOT EXISTS (SELECT FROM frozen_item f WHERE f.blob_id = b.id)`;

/** Locks those of the blobs that no image and no version names since before, but for those that an upload is about to use. */
export const lockUnusedBlobs = statement({
  text: `SELECT b.id FROM blob b WHERE ${UNUSED} FOR UPDATE SKIP LOCKED`,
  params: { ids: uuids, before: timestamptz },
  row: { id: uuid },
});

/** Removes those of the blobs that nothing names still; says where their objects are. */
export const collectBlobs = statement({
  text: `DELETE FROM blob b WHERE ${UNUSED} RETURNING storage_key`,
  params: { ids: uuids, before: timestamptz },
  row: { storageKey: text },
});

/** Removes exports that have expired; says where their archives are. */
export const collectExports = statement({
  text: 'DELETE FROM export_job WHERE expires_at < $now RETURNING storage_key',
  params: { now: timestamptz },
  row: { storageKey: nullable(text) },
});

/** The same of imports, whose files may still be there. */
export const collectImports = statement({
  text: 'DELETE FROM annotation_import WHERE expires_at < $now RETURNING storage_key',
  params: { now: timestamptz },
  row: { storageKey: nullable(text) },
});
