import {
  amongSql,
  member,
  memberWorkspacesSql,
  some,
  type Ids,
  type Member,
} from '../../content/lists.sql.ts';
import { List, type ParentSql } from '../../../core/lists/list.sql.ts';
import { statement } from '../../../core/sql/statement.ts';
import {
  arrayOf,
  bytea,
  char,
  instantText,
  int4,
  int4s,
  int8,
  int8s,
  nullable,
  oneOf,
  text,
  timestamptz,
  uuid,
  uuids,
} from '../../../core/sql/types.ts';

const versionState = oneOf('FREEZING', 'READY', 'FAILED');

/** Versions of live datasets that the viewer sees: with these ids, of a dataset, or with the number of each of these. */
export type WhichVersions =
  Ids | { dataset: ParentSql } | { numbered: readonly { datasetId: string; number: number }[] };

export const datasetVersions = new List({
  columns:
    'v.id, v.dataset_id, v.number, v.name, v.notes, v.state, v.digest, v.images, v.annotations, v.creator_id, v.created_at, v.frozen_at, m.role',
  row: {
    id: uuid,
    datasetId: uuid,
    number: int4,
    name: text,
    notes: text,
    state: versionState,
    digest: nullable(char),
    images: int4,
    annotations: int4,
    creatorId: nullable(int4),
    createdAt: instantText,
    frozenAt: nullable(instantText),
    role: text,
  },
  source: ({ viewer, which }: { viewer: Member; which: WhichVersions }, params) => {
    const from = `FROM ${memberWorkspacesSql(viewer, params)} JOIN dataset d ON d.workspace_id = w.id AND d.deleted_at IS NULL
       JOIN dataset_version v ON v.dataset_id = d.id AND v.deleted_at IS NULL`;
    if ('ids' in which) return `${from} WHERE v.id ${amongSql(which, params)}`;
    if ('dataset' in which) return `${from} WHERE v.dataset_id = ${which.dataset(params)}`;
    const { numbered } = which;
    const datasets = params.add(
      uuids,
      numbered.map(({ datasetId }) => datasetId),
    );
    const numbers = params.add(
      int4s,
      numbered.map(({ number }) => number),
    );
    return `${from} WHERE (v.dataset_id, v.number) IN (SELECT * FROM unnest(${datasets}::uuid[], ${numbers}::int[]))`;
  },
  order: [{ name: 'number', sql: 'v.number', kind: 'integer', descending: true }],
  samples: (parent) => [
    { viewer: member, which: some },
    { viewer: member, which: { dataset: parent } },
    { viewer: member, which: { numbered: [] } },
  ],
});

/** The items of the chunks of `a` that are not in those of `b`: what both share is never read. */
const itemsOnlyIn = (a: string, b: string): string =>
  `SELECT f.id, f.of_id, f.image_id, f.created_date FROM (SELECT unnest(t.chunks) FROM version_tree t WHERE t.version_id = ${a} EXCEPT SELECT unnest(t.chunks) FROM version_tree t WHERE t.version_id = ${b}) c (id)
       JOIN frozen_chunk k ON k.id = c.id CROSS JOIN LATERAL unnest(k.items) e (id) JOIN frozen_item f ON f.id = e.id`;

export interface WhichChanges {
  viewer: Member;
  /** The newer version. */
  version: ParentSql;
  /** The older one; null for the one before it. */
  since: string | null;
}

/** The images that differ between two versions of a dataset that the viewer sees, with the items of each. */
export const versionChanges = new List({
  columns:
    'x.image_id, x.created_date, x.kind, x.before, x.after, v.id AS version_id, o.id AS since_id, d.id AS dataset_id',
  row: {
    imageId: uuid,
    createdDate: instantText,
    kind: oneOf('ADDED', 'REMOVED', 'CHANGED'),
    before: int8s,
    after: int8s,
    versionId: uuid,
    sinceId: nullable(uuid),
    datasetId: uuid,
  },
  source: ({ viewer, version, since }: WhichChanges, params) => {
    const which =
      since === null
        ? `o.number < v.number AND o.state = 'READY' ORDER BY o.number DESC LIMIT 1`
        : `o.id = ${params.add(uuid, since)}`;
    return `FROM ${memberWorkspacesSql(viewer, params)} JOIN dataset d ON d.workspace_id = w.id AND d.deleted_at IS NULL
       JOIN dataset_version v ON v.dataset_id = d.id AND v.deleted_at IS NULL AND v.state = 'READY'
       CROSS JOIN LATERAL (SELECT (SELECT o.id FROM dataset_version o WHERE o.dataset_id = d.id AND o.deleted_at IS NULL AND ${which}) AS id) o
       CROSS JOIN LATERAL (SELECT coalesce(a.image_id, b.image_id) AS image_id, min(coalesce(b.created_date, a.created_date)) AS created_date,
         CASE WHEN bool_or(b.of_id = d.id AND a.id IS NULL) THEN 'ADDED' WHEN bool_or(a.of_id = d.id AND b.id IS NULL) THEN 'REMOVED' ELSE 'CHANGED' END AS kind,
         coalesce(array_agg(a.id) FILTER (WHERE a.id IS NOT NULL), '{}') AS before, coalesce(array_agg(b.id) FILTER (WHERE b.id IS NOT NULL), '{}') AS after
       FROM (${itemsOnlyIn('o.id', 'v.id')}) a FULL JOIN (${itemsOnlyIn('v.id', 'o.id')}) b ON b.image_id = a.image_id AND b.of_id = a.of_id
       WHERE a.id IS DISTINCT FROM b.id GROUP BY 1) x WHERE v.id = ${version(params)}`;
  },
  order: [
    { name: 'created', sql: 'x.created_date', kind: 'instant', descending: false },
    { name: 'id', sql: 'x.image_id', kind: 'uuid', descending: false },
  ],
  samples: (parent) => [
    { viewer: member, version: parent, since: null },
    { viewer: member, version: parent, since: '' },
  ],
});

/** A version that was not renewed for this long belongs to a gateway that has died. */
const LEASE = `interval '15 seconds'`;
/** Does the domain of the dataset of `v` take writes? Versions wait while it is locked or moves. */
const OPEN = `EXISTS (SELECT FROM dataset d JOIN workspace w ON w.id = d.workspace_id JOIN domain o ON o.id = w.domain_id WHERE d.id = v.dataset_id AND o.state = 'OPEN')`;
const FREE = `v.state = 'FREEZING' AND v.deleted_at IS NULL AND (v.alive_at IS NULL OR v.alive_at < clock_timestamp() - ${LEASE}) AND ${OPEN}`;

/** Is there a version to freeze? */
export const freeVersion = statement({
  text: `SELECT v.id FROM dataset_version v WHERE ${FREE} LIMIT 1`,
  params: {},
  row: { id: uuid },
});

/** Takes the oldest version to freeze; two runners never take the same one. */
export const claimVersion = statement({
  text: `UPDATE dataset_version SET runner = $runner, alive_at = clock_timestamp(), attempts = attempts + 1
    WHERE id = (SELECT v.id FROM dataset_version v WHERE ${FREE} ORDER BY v.created_at, v.id LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING id, dataset_id, (SELECT w.domain_id FROM dataset d JOIN workspace w ON w.id = d.workspace_id WHERE d.id = dataset_version.dataset_id) AS domain_id, only_project, attempts, frozen_at`,
  params: { runner: uuid },
  row: {
    id: uuid,
    datasetId: uuid,
    domainId: int4,
    onlyProject: nullable(uuid),
    attempts: int4,
    frozenAt: nullable(timestamptz),
  },
});

/** Renews the claim on a version that its runner still has, whose dataset is there and whose domain is open. */
export const renewVersion = statement({
  text: `UPDATE dataset_version v SET alive_at = clock_timestamp() FROM dataset d JOIN workspace w ON w.id = d.workspace_id JOIN domain o ON o.id = w.domain_id AND o.state = 'OPEN'
    WHERE v.id = $id AND v.runner = $runner AND v.state = 'FREEZING' AND v.deleted_at IS NULL AND d.id = v.dataset_id AND d.deleted_at IS NULL AND w.deleted_at IS NULL RETURNING v.id`,
  params: { id: uuid, runner: uuid },
  row: { id: uuid },
});

/** Begins a transaction that sees one snapshot of the database; its first statement. */
export const seeOneSnapshot = statement({
  text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ',
  params: {},
  row: {},
});

/** The oldest transaction whose changes may not be seen yet. */
export const oldestUnseen = statement({
  text: 'SELECT (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint AS xid',
  params: {},
  row: { xid: int8 },
});

/**
 * Images of a dataset that this or a later transaction has changed, and those on which the work in one of these projects was.
 * Rows have the lower half of a transaction's number.
 */
export const touchedSince = statement({
  text: `SELECT NULL::uuid AS project_id, id AS image_id, created_date FROM image WHERE dataset_id = $datasetId AND (((xmin::text)::bigint - $xid) & 4294967295) < 2147483648
    UNION ALL SELECT project_id, image_id, created_date FROM image_review WHERE project_id = ANY ($projectIds) AND dataset_id = $datasetId AND changed_xid >= $xid ORDER BY 3, 2 LIMIT $limit`,
  params: { datasetId: uuid, projectIds: uuids, xid: int8, limit: int8 },
  row: { projectId: nullable(uuid), imageId: uuid, createdDate: timestamptz },
});

/** The newest whole tree of something in the versions of a dataset. */
export const newestTree = statement({
  text: `SELECT t.version_id, t.classes, t.chunks FROM dataset_version v JOIN version_tree t ON t.version_id = v.id AND t.of_id = $ofId
    WHERE v.dataset_id = $datasetId AND v.state = 'READY' AND v.deleted_at IS NULL ORDER BY v.number DESC LIMIT 1`,
  params: { datasetId: uuid, ofId: uuid },
  row: { versionId: uuid, classes: nullable(int8), chunks: int8s },
});

/** The classes of projects in versions. */
export const classItems = statement({
  text: 'SELECT t.version_id, f.content FROM version_tree t JOIN frozen_item f ON f.id = t.classes WHERE t.version_id = ANY ($versionIds)',
  params: { versionIds: arrayOf(uuid) },
  row: { versionId: uuid, content: text },
});

/** Hashes and contents of items by their ids. */
export const itemTexts = statement({
  text: 'SELECT id, hash, content FROM frozen_item WHERE id = ANY ($ids)',
  params: { ids: int8s },
  row: { id: int8, hash: bytea, content: text },
});

/** Contents of items by their ids. */
export const itemContents = statement({
  text: 'SELECT id, of_id, content FROM frozen_item WHERE id = ANY ($ids)',
  params: { ids: int8s },
  row: { id: int8, ofId: uuid, content: text },
});

/** The last number that was given to a version of a dataset, of a deleted one, too. */
export const lastNumber = statement({
  text: `SELECT coalesce(max(number), 0) AS number, count(*) FILTER (WHERE deleted_at IS NULL) AS live, count(*) FILTER (WHERE state = 'FREEZING' AND deleted_at IS NULL) AS freezing FROM dataset_version WHERE dataset_id = $datasetId`,
  params: { datasetId: uuid },
  row: { number: int4, live: int8, freezing: int8 },
});

/**
 * Removes some chunks that no version of a dataset has, and then items that no chunk or tree has; joins of hashes,
 * which large datasets don't slow down.
 */
export const collectChunks = statement({
  text: `DELETE FROM frozen_chunk WHERE id IN (SELECT k.id FROM frozen_chunk k WHERE k.dataset_id = $datasetId
      AND NOT EXISTS (SELECT FROM dataset_version v JOIN version_tree t ON t.version_id = v.id CROSS JOIN LATERAL unnest(t.chunks) e (id) WHERE v.dataset_id = $datasetId AND e.id = k.id) LIMIT $limit) RETURNING id`,
  params: { datasetId: uuid, limit: int8 },
  row: { id: int8 },
});
export const collectItems = statement({
  text: `DELETE FROM frozen_item WHERE id IN (SELECT f.id FROM frozen_item f WHERE f.dataset_id = $datasetId
      AND NOT EXISTS (SELECT FROM frozen_chunk k CROSS JOIN LATERAL unnest(k.items) e (id) WHERE k.dataset_id = $datasetId AND e.id = f.id)
      AND NOT EXISTS (SELECT FROM dataset_version v JOIN version_tree t ON t.version_id = v.id WHERE v.dataset_id = $datasetId AND t.classes = f.id) LIMIT $limit) RETURNING id`,
  params: { datasetId: uuid, limit: int8 },
  row: { id: int8 },
});

/** Datasets with frozen items. */
export const frozenDatasets = statement({
  text: 'SELECT d.id FROM dataset d WHERE EXISTS (SELECT FROM frozen_item f WHERE f.dataset_id = d.id)',
  params: {},
  row: { id: uuid },
});
