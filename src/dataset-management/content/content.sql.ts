import { creationOrder, List, type ParentSql } from '../../core/lists/list.sql.ts';
import { statement } from '../../core/sql/statement.ts';
import {
  arrayOf,
  asText,
  bool,
  char,
  instantText,
  int4,
  int4s,
  int8,
  jsonb,
  nullable,
  oneOf,
  text,
  timestamptz,
  uuid,
  uuids,
} from '../../core/sql/types.ts';
import { amongSql, member, memberWorkspacesSql, some, type Ids, type Member } from './lists.sql.ts';

/** A workspace, against uploads into it, images that come back, and other changes of its encryption or members. */
export const lockWorkspace = statement({
  text: 'SELECT encryption_checksum, key_number, keys_made, old_checksum, old_key_number FROM workspace WHERE id = $id FOR UPDATE',
  params: { id: uuid },
  row: {
    encryptionChecksum: nullable(char),
    keyNumber: int4,
    keysMade: int4,
    oldChecksum: nullable(char),
    oldKeyNumber: nullable(int4),
  },
});

/**
 * Whether there is an image in it, or a version of a dataset holds one, of a deleted one, too, which could come back;
 * asked after locking it, because a statement that waits for the lock sees what was there before.
 */
export const isWorkspaceUsed = statement({
  text: `SELECT EXISTS (SELECT FROM image i JOIN dataset d ON d.id = i.dataset_id WHERE d.workspace_id = $id AND d.deleted_at IS NULL AND i.deleted_at IS NULL)
    OR EXISTS (SELECT FROM frozen_item f JOIN dataset d ON d.id = f.dataset_id WHERE d.workspace_id = $id AND f.blob_id IS NOT NULL) AS used`,
  params: { id: uuid },
  row: { used: bool },
});

/** The workspace of an image, dataset or project, against being encrypted, and changes of its members. */
export const shareWorkspaceOf = statement({
  text: `SELECT FROM workspace WHERE id IN (SELECT workspace_id FROM dataset WHERE id = $id UNION ALL SELECT d.workspace_id FROM image i JOIN dataset d ON d.id = i.dataset_id WHERE i.id = $id UNION ALL SELECT workspace_id FROM project WHERE id = $id) FOR SHARE`,
  params: { id: uuid },
  row: {},
});

/** How much is in datasets. */
export const datasetCounts = statement({
  text: `SELECT d.id, (SELECT count(*) FROM image i WHERE i.dataset_id = d.id AND i.deleted_at IS NULL) AS images,
      (SELECT count(*) FROM project_dataset pd JOIN project p ON p.id = pd.project_id AND p.deleted_at IS NULL WHERE pd.dataset_id = d.id) AS projects
    FROM unnest($ids::uuid[]) d (id)`,
  params: { ids: arrayOf(uuid) },
  row: { id: uuid, images: int8, projects: int8 },
});

/** The dataset of an image, against being deleted, published, encrypted or closed to the user before the image is there, or gone. */
export const shareDataset = statement({
  text: `SELECT d.status, w.encrypted, w.key_number, w.keys_made, w.old_key_number FROM dataset d JOIN workspace w ON w.id = d.workspace_id JOIN workspace_member m ON m.workspace_id = w.id AND m.user_id = $userId AND m.role <> 'ANNOTATOR'
    WHERE d.id = $id AND d.deleted_at IS NULL AND w.deleted_at IS NULL FOR SHARE`,
  params: { id: uuid, userId: int4 },
  row: {
    status: text,
    encrypted: bool,
    keyNumber: int4,
    keysMade: int4,
    oldKeyNumber: nullable(int4),
  },
});

/** How many images of workspaces are still encrypted under the key that is being left: live ones, and deleted ones. */
export const imagesLeft = statement({
  text: `SELECT w.id, count(*) FILTER (WHERE i.deleted_at IS NULL AND d.deleted_at IS NULL) AS live, count(*) FILTER (WHERE i.deleted_at IS NOT NULL OR d.deleted_at IS NOT NULL) AS deleted
    FROM workspace w JOIN dataset d ON d.workspace_id = w.id JOIN image i ON i.dataset_id = d.id AND i.key_number = w.old_key_number AND i.mime_type IS NULL WHERE w.id = ANY ($ids) GROUP BY w.id`,
  params: { ids: arrayOf(uuid) },
  row: { id: uuid, live: int8, deleted: int8 },
});

/** The blobs of a workspace that have some bytes, for every upload. */
export const sameBlobs = statement({
  text: 'SELECT sha256, storage_key, byte_size AS size FROM blob WHERE workspace_id = $workspaceId AND sha256 = ANY ($hashes)',
  params: { workspaceId: uuid, hashes: arrayOf(char) },
  row: { sha256: char, storageKey: text, size: int8 },
});

const sameBytes = { workspaceId: uuid, sha256: char };

/** The blob of these bytes, against collection. */
export const lockBlob = statement({
  text: 'SELECT id, storage_key FROM blob WHERE workspace_id = $workspaceId AND sha256 = $sha256 FOR UPDATE',
  params: sameBytes,
  row: { id: uuid, storageKey: text },
});

/** The same, made if there is none; one whose object is lost gets the new object. */
export const upsertBlob = statement({
  text: `INSERT INTO blob AS b (id, workspace_id, sha256, crc32, byte_size, storage_key, created_at) VALUES ($id, $workspaceId, $sha256, $crc32, $byteSize, $newKey, $now)
    ON CONFLICT (workspace_id, sha256) DO UPDATE SET storage_key = CASE b.storage_key WHEN $lostKey THEN excluded.storage_key ELSE b.storage_key END
    RETURNING id, storage_key`,
  params: {
    ...sameBytes,
    id: uuid,
    crc32: int8,
    byteSize: int8,
    newKey: text,
    lostKey: nullable(text),
    now: timestamptz,
  },
  row: { id: uuid, storageKey: text },
});

const OBJECTS = `(SELECT storage_key, byte_size, sha256 FROM blob UNION ALL SELECT storage_key, byte_size, sha256 FROM export_job WHERE storage_key IS NOT NULL
  UNION ALL SELECT storage_key, byte_size, sha256 FROM annotation_import WHERE storage_key IS NOT NULL) k`;

/** What rows say of objects, some after another, in the order of the indexes of their keys. */
export const objectsAfter = statement({
  text: `SELECT storage_key, byte_size, sha256 FROM ${OBJECTS} WHERE storage_key > $after ORDER BY storage_key LIMIT $limit`,
  params: { after: text, limit: int8 },
  row: { storageKey: text, byteSize: int8, sha256: char },
});

/** Which of these objects rows name. */
export const knownObjects = statement({
  text: `SELECT storage_key FROM blob WHERE storage_key = ANY ($keys) UNION ALL SELECT storage_key FROM export_job WHERE storage_key = ANY ($keys) UNION ALL SELECT storage_key FROM annotation_import WHERE storage_key = ANY ($keys)`,
  params: { keys: arrayOf(text) },
  row: { storageKey: text },
});

const imageOf = (column: string, what: string): string =>
  `SELECT b.storage_key, '${what} ' || i.id || ' ' || to_json(i.name) || ' of dataset ' || i.dataset_id || CASE WHEN i.deleted_at IS NULL THEN '' ELSE ' (deleted)' END AS of
    FROM blob b JOIN image i ON i.${column} = b.id WHERE b.storage_key = ANY ($keys)`;

/** What each object is of, in words. */
export const objectNames = statement({
  text: `${imageOf('blob_id', 'image')} UNION ALL ${imageOf('thumb_blob_id', 'thumbnail of image')}
    UNION ALL SELECT b.storage_key, 'image ' || f.image_id || ' in versions of dataset ' || f.dataset_id FROM blob b JOIN frozen_item f ON f.blob_id = b.id WHERE b.storage_key = ANY ($keys)
      AND NOT EXISTS (SELECT FROM image i WHERE i.id = f.image_id)
    UNION ALL SELECT storage_key, 'export ' || id FROM export_job WHERE storage_key = ANY ($keys) UNION ALL SELECT storage_key, 'import ' || id FROM annotation_import WHERE storage_key = ANY ($keys) ORDER BY of`,
  params: { keys: arrayOf(text) },
  row: { storageKey: text, of: text },
});

/** Workspaces of the viewer: all, or those with these ids. */
export const workspaces = new List({
  columns: 'w.id, w.name, w.encrypted, w.key_number, w.old_key_number, m.role, w.created_at',
  row: {
    id: uuid,
    name: text,
    encrypted: bool,
    keyNumber: int4,
    oldKeyNumber: nullable(int4),
    role: text,
    createdAt: instantText,
  },
  source: ({ viewer, which }: { viewer: Member; which?: Ids | undefined }, params) =>
    `FROM ${memberWorkspacesSql(viewer, params)} WHERE ${which ? `w.id ${amongSql(which, params)}` : 'true'}`,
  order: creationOrder('w.created_at', 'w.id'),
  samples: () => [{ viewer: member }, { viewer: member, which: some }],
});

/** Members of workspaces of the viewer: of one, by login, or these users in these. */
export type WhichMembers =
  | { workspace: ParentSql; login?: string }
  | { workspaceIds: readonly string[]; userIds: readonly number[] };

export const workspaceMembers = new List({
  columns: 'w.id AS workspace_id, u.id AS user_id, u.login, u.display_name, o.role',
  row: { workspaceId: uuid, userId: int4, login: text, displayName: text, role: text },
  source: ({ viewer, which }: { viewer: Member; which: WhichMembers }, params) => {
    const from = `FROM ${memberWorkspacesSql(viewer, params)} JOIN workspace_member o ON o.workspace_id = w.id JOIN "user" u ON u.id = o.user_id`;
    if ('userIds' in which)
      return `${from} WHERE w.id = ANY (${params.add(uuids, which.workspaceIds)}::uuid[]) AND u.id = ANY (${params.add(int4s, which.userIds)}::int[])`;
    const named =
      which.login === undefined ? '' : ` AND u.login = ${params.add(text, which.login)}`;
    return `${from} WHERE w.id = ${which.workspace(params)}${named}`;
  },
  order: [{ name: 'login', sql: 'u.login COLLATE "C"', kind: 'text', descending: false }],
  samples: (parent) => [
    { viewer: member, which: { workspace: parent } },
    { viewer: member, which: { workspace: parent, login: '' } },
    { viewer: member, which: { workspaceIds: [], userIds: [] } },
  ],
});

/** Locks the next images with annotations of some classes in every writer's order, and counts up the versions of their work. */
export const changeImagesOfClasses = statement({
  text: `WITH next AS (SELECT i.id FROM image i WHERE i.id = ANY (ARRAY(SELECT n.image_id FROM unnest($classIds::uuid[]) c (id)
      CROSS JOIN LATERAL (SELECT a.image_id FROM annotation a WHERE a.class_id = c.id AND a.image_id > $after ORDER BY a.image_id LIMIT $limit) n
      ORDER BY n.image_id LIMIT $limit)) ORDER BY i.id FOR UPDATE),
    changed AS (INSERT INTO image_review AS r (project_id, image_id, state, version) SELECT $projectId, id, 'NONE', 1 FROM next
      ON CONFLICT (project_id, image_id) DO UPDATE SET version = r.version + 1)
    SELECT id FROM next ORDER BY id`,
  params: { projectId: uuid, classIds: arrayOf(uuid), after: uuid, limit: int8 },
  row: { id: uuid },
});

/**
 * Bytes of the annotations of images in a project, as JSON, of those that may have many: what is not long is not read for it.
 * 250 bytes are at most some 60 kB before they were compressed.
 */
export const annotationBytes = statement({
  text: `SELECT a.image_id, sum(octet_length(concat(a.geometry, a.coco, a.attributes))) AS bytes FROM annotation a WHERE a.project_id = $projectId AND a.image_id = ANY ($imageIds)
    AND coalesce(pg_column_size(a.geometry), 0) + coalesce(pg_column_size(a.coco), 0) + coalesce(pg_column_size(a.attributes), 0) > 250 GROUP BY 1`,
  params: { projectId: uuid, imageIds: arrayOf(uuid) },
  row: { imageId: uuid, bytes: int8 },
});

/** Annotations in live projects that the viewer sees, of live images of their datasets: with these ids, or of an image. */
export type WhichAnnotations = Ids | { image: ParentSql; projectId?: string | undefined };

export const annotations = new List({
  columns:
    'a.id, a.image_id, a.project_id, c.name AS class_name, a.shape, a.geometry, a.attributes, a.created_by, a.created_at',
  row: {
    id: uuid,
    imageId: uuid,
    projectId: uuid,
    className: text,
    shape: oneOf('BBOX', 'POLYGON', 'POLYLINE', 'POINTS', 'MASK', 'CLASSIFICATION'),
    geometry: nullable(asText(jsonb)),
    attributes: nullable(asText(jsonb)),
    createdBy: nullable(int4),
    createdAt: instantText,
  },
  source: ({ viewer, which }: { viewer: Member; which: WhichAnnotations }, params) => {
    const from = `FROM ${memberWorkspacesSql(viewer, params)} JOIN project p ON p.workspace_id = w.id AND p.deleted_at IS NULL JOIN annotation a ON a.project_id = p.id
       JOIN annotation_class c ON c.id = a.class_id JOIN image i ON i.id = a.image_id AND i.deleted_at IS NULL
       JOIN dataset d ON d.id = i.dataset_id AND d.deleted_at IS NULL JOIN project_dataset pd ON pd.project_id = p.id AND pd.dataset_id = d.id`;
    if ('ids' in which) return `${from} WHERE a.id ${amongSql(which, params)}`;
    const ofProject =
      which.projectId === undefined
        ? ''
        : ` AND a.project_id = ${params.add(uuid, which.projectId)}`;
    return `${from} WHERE a.image_id = ${which.image(params)}${ofProject}`;
  },
  order: creationOrder('a.created_at', 'a.id'),
  samples: (parent) => [
    { viewer: member, which: some },
    { viewer: member, which: { image: parent } },
    { viewer: member, which: { image: parent, projectId: '' } },
  ],
});
