import { statement, statementFor, type TypedParams } from '../../../core/sql/statement.ts';
import {
  arrayOf,
  asText,
  bool,
  bytea,
  char,
  float8,
  int4,
  int8,
  jsonb,
  nullable,
  oneOf,
  text,
  timestamptz,
  uuid,
} from '../../../core/sql/types.ts';
import { annotationShapes } from '../../projects/annotations/geometry.ts';
import { exportFormats } from './export-format.ts';
import { exportFilters, type ExportFilter } from './export-filter.ts';

/** As they are stored. */
export const exportFilter = oneOf(...exportFilters);
export const exportFormat = oneOf(...exportFormats);
export const jobState = oneOf('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED');

/** A job that was not renewed for this long belongs to a gateway that has died. */
const LEASE = `interval '15 seconds'`;

/** Does the domain of the project of `j` take writes? Jobs wait while it is locked or moves. */
const OPEN = `EXISTS (SELECT FROM project p JOIN workspace w ON w.id = p.workspace_id JOIN domain d ON d.id = w.domain_id WHERE p.id = j.project_id AND d.state = 'OPEN')`;

/** Jobs `j` to run: those not started, or whose gateway is gone. */
const FREE = `(j.state = 'QUEUED' OR (j.state = 'RUNNING' AND (j.alive_at IS NULL OR j.alive_at < clock_timestamp() - ${LEASE}))) AND ${OPEN}`;

/** What claims the oldest job of a table, after `UPDATE` and the table; two runners never take the same one. */
const claimSql = (table: string, columns: string): string =>
  `SET state = 'RUNNING', runner = $runner, alive_at = clock_timestamp(), attempts = attempts + 1, progress = 0
    WHERE id = (SELECT j.id FROM ${table} j WHERE ${FREE} ORDER BY j.created_at, j.id LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING id, project_id, (SELECT w.domain_id FROM project p JOIN workspace w ON w.id = p.workspace_id WHERE p.id = ${table}.project_id) AS domain_id, owner_id, attempts, ${columns}`;
const claimed = { id: uuid, projectId: uuid, domainId: int4, ownerId: int4, attempts: int4 };

/** What renews the lease of a job that its runner still has, in a domain that is open, after `UPDATE` and its table. */
const RENEW = `j SET alive_at = clock_timestamp(), progress = $progress WHERE j.id = $id AND j.runner = $runner AND j.state = 'RUNNING' AND ${OPEN} RETURNING j.id`;
const renewal = { params: { id: uuid, runner: uuid, progress: float8 }, row: { id: uuid } };

/** Is there an export to run? By the clock of the database, like all that concerns the lease. */
export const freeExport = statement({
  text: `SELECT j.id FROM export_job j WHERE ${FREE} LIMIT 1`,
  params: {},
  row: { id: uuid },
});

export const claimExport = statement({
  text: `UPDATE export_job ${claimSql('export_job', 'filter, format, split, version_id, assigned_only, created_at')}`,
  params: { runner: uuid },
  row: {
    ...claimed,
    filter: exportFilter,
    format: exportFormat,
    split: text,
    versionId: nullable(uuid),
    assignedOnly: bool,
    createdAt: timestamptz,
  },
});

export const renewExport = statement({ text: `UPDATE export_job ${RENEW}`, ...renewal });

/** Is there an import of annotations to run? */
export const freeImport = statement({
  text: `SELECT j.id FROM annotation_import j WHERE ${FREE} LIMIT 1`,
  params: {},
  row: { id: uuid },
});

export const claimImport = statement({
  text: `UPDATE annotation_import ${claimSql('annotation_import', 'name, format, dry_run, allow_unmatched, storage_key, sha256')}`,
  params: { runner: uuid },
  row: {
    ...claimed,
    name: text,
    format: nullable(text),
    dryRun: bool,
    allowUnmatched: bool,
    storageKey: nullable(text),
    sha256: char,
  },
});

export const renewImport = statement({ text: `UPDATE annotation_import ${RENEW}`, ...renewal });

/**
 * Has requests of a user, and those in a workspace, for exports and imports counted one after the other, until the
 * transaction ends; the numbers are arbitrary.
 */
export const lockCaps = statement({
  text: 'SELECT pg_advisory_xact_lock(4711064, $userId)::text AS of_user, pg_advisory_xact_lock(4711065, hashtext($workspaceId::uuid::text))::text AS of_workspace',
  params: { userId: int4, workspaceId: uuid },
  row: { ofUser: text, ofWorkspace: text },
});

/**
 * Adds up the versions of rows, so that any write to one of them changes the sum. PostgreSQL numbers each version of a
 * row by its transaction.
 */
const sumOf = (id: string, row: string, from: string): string =>
  `(SELECT concat(count(*), ' ', sum(hashtextextended(concat(${id}, ' ', ${row}.xmin), 0)::numeric)) FROM ${from})`;

const datasets = `project_dataset pd JOIN dataset d ON d.id = pd.dataset_id AND d.deleted_at IS NULL`;
const images = `${datasets} JOIN image i ON i.dataset_id = d.id AND i.deleted_at IS NULL`;

/** Raised when archives get other files, so that none of before counts as the same export. */
export const LAYOUT = 5;

/**
 * A text that stays the same as long as an export of the project would have the same content. It covers annotations,
 * since adding or removing one updates its image.
 */
export const contentVersion = statement({
  text: `SELECT md5(concat_ws('|', ${LAYOUT},
      ${sumOf('p.id', 'p', 'project p WHERE p.id = $projectId')},
      ${sumOf('c.id', 'c', 'annotation_class c WHERE c.project_id = $projectId')},
      ${sumOf('d.id', 'd', `${datasets} WHERE pd.project_id = $projectId`)},
      ${sumOf('i.id', 'i', `${images} WHERE pd.project_id = $projectId`)},
      ${sumOf('r.image_id', 'r', 'image_review r WHERE r.project_id = $projectId')})) AS version`,
  params: { projectId: uuid },
  row: { version: text },
});

/** A text that stays the same as long as the images of a version have the same bytes: those of before went with their key. */
export const bytesOfVersion = statement({
  text: `SELECT md5(string_agg(DISTINCT f.blob_id::text, ',')) AS version FROM version_tree t CROSS JOIN LATERAL unnest(t.chunks) c (id) JOIN frozen_chunk k ON k.id = c.id
    CROSS JOIN LATERAL unnest(k.items) e (id) JOIN frozen_item f ON f.id = e.id WHERE t.version_id = $versionId AND t.of_id = $datasetId`,
  params: { versionId: uuid, datasetId: uuid },
  row: { version: nullable(text) },
});

/** Condition over the image `i` of a project; "annotated" includes images that were marked so with no annotation. */
function isExported(filter: ExportFilter, project: string): string {
  const review = (states: string): string =>
    `EXISTS (SELECT FROM image_review r WHERE r.project_id = ${project} AND r.image_id = i.id AND r.state IN (${states}))`;
  switch (filter) {
    case 'ALL':
      return 'true';
    case 'ACCEPTED':
      return review(`'ACCEPTED'`);
    case 'ANNOTATED':
      return `(${review(`'ANNOTATED', 'ACCEPTED', 'REJECTED'`)} OR EXISTS (SELECT FROM annotation a WHERE a.image_id = i.id AND a.project_id = ${project}))`;
    case 'CONFIG_ONLY':
      return 'false';
  }
}

interface Export {
  projectId: string;
  filter: ExportFilter;
  /** Only what is assigned to this user. */
  assignee?: number | undefined;
}

/** The images in an export, by dataset and age. */
export const exportedIds = statementFor({
  text: ({ projectId, filter, assignee }: Export, params: TypedParams) => {
    const project = params.add(uuid, projectId);
    const assigned =
      assignee === undefined
        ? ''
        : ` AND EXISTS (SELECT FROM image_review r WHERE r.project_id = ${project} AND r.image_id = i.id AND r.assignee_id = ${params.add(int4, assignee)})`;
    return `SELECT i.id, i.annotation_count FROM ${images} WHERE pd.project_id = ${project} AND ${isExported(filter, project)}${assigned} ORDER BY d.created_at, d.id, i.created_date, i.id`;
  },
  row: { id: uuid, annotationCount: int4 },
  samples: exportFilters.flatMap((filter) =>
    [undefined, 1].map((assignee) => ({ projectId: '', filter, assignee })),
  ),
});

/** Some images of a project, deleted or not, with their bytes. */
export const exportedImages = statement({
  text: `SELECT i.id, i.dataset_id, i.name, i.path, i.width, i.height, i.mime_type, i.created_date, b.storage_key, b.byte_size AS size, b.sha256, b.crc32, t.sha256 AS thumb_hash, i.key_number, i.proof, coalesce(r.state, 'NONE') AS state
    FROM image i JOIN blob b ON b.id = i.blob_id JOIN blob t ON t.id = i.thumb_blob_id LEFT JOIN image_review r ON r.project_id = $projectId AND r.image_id = i.id WHERE i.id = ANY ($ids)`,
  params: { projectId: uuid, ids: arrayOf(uuid) },
  row: {
    id: uuid,
    datasetId: uuid,
    name: text,
    path: nullable(text),
    width: int4,
    height: int4,
    mimeType: nullable(text),
    createdDate: timestamptz,
    storageKey: text,
    size: int8,
    sha256: char,
    crc32: int8,
    thumbHash: char,
    keyNumber: int4,
    proof: nullable(char),
    state: oneOf('NONE', 'ANNOTATED', 'ACCEPTED', 'REJECTED'),
  },
});

/** The most points that an annotation of each class has, of those classes that have any. */
export const pointsOfClasses = statement({
  text: `SELECT c.id, max(jsonb_array_length(a.geometry)) / 3 AS points FROM annotation_class c JOIN annotation a ON a.class_id = c.id AND a.shape = 'POINTS'
    WHERE c.project_id = $projectId GROUP BY c.id`,
  params: { projectId: uuid },
  row: { id: uuid, points: int4 },
});

/** Their annotations in the project, their JSON as text: decoded it takes several times as much. */
export const exportedAnnotations = statement({
  text: `SELECT a.image_id, a.class_id, a.shape, a.geometry, a.coco, a.attributes, a.created_at
    FROM annotation a WHERE a.project_id = $projectId AND a.image_id = ANY ($ids) ORDER BY a.created_at, a.id`,
  params: { projectId: uuid, ids: arrayOf(uuid) },
  row: {
    imageId: uuid,
    classId: uuid,
    shape: oneOf(...annotationShapes),
    geometry: nullable(asText(jsonb)),
    coco: nullable(asText(jsonb)),
    attributes: nullable(asText(jsonb)),
    createdAt: timestamptz,
  },
});

/** The secret of the installation, in each row; and the private keys of those of these workspaces that came from another one. */
export const signingSecrets = statement({
  text: `SELECT s.secret, w.id AS workspace_id, w.signing_seed FROM installation_secret s
    LEFT JOIN workspace w ON w.id = ANY ($workspaceIds) AND w.signing_seed IS NOT NULL`,
  params: { workspaceIds: arrayOf(uuid) },
  row: { secret: bytea, workspaceId: nullable(uuid), signingSeed: nullable(bytea) },
});
