import type { Viewer } from '../../core/context/viewer.ts';
import { creationOrder, List, type ParentSql } from '../../core/lists/list.sql.ts';
import type { TypedParams } from '../../core/sql/statement.ts';
import {
  bool,
  char,
  instantText,
  int4,
  int8,
  nullable,
  text,
  uuid,
  uuids,
} from '../../core/sql/types.ts';

/** Who asks. */
type Member = Pick<Viewer, 'userId' | 'domainId'>;
interface Ids {
  ids: readonly string[];
}

const member: Member = { userId: 1, domainId: 1 };
const some: Ids = { ids: [] };

/** `w` and `m` join the live workspaces of which the viewer is a member: the one place that says who sees what. */
function memberWorkspacesSql({ userId, domainId }: Member, params: TypedParams): string {
  return `workspace w JOIN workspace_member m ON m.workspace_id = w.id AND m.user_id = ${params.add(int4, userId)} AND w.domain_id = ${params.add(int4, domainId)} AND w.deleted_at IS NULL`;
}

const amongSql = ({ ids }: Ids, params: TypedParams): string =>
  `= ANY (${params.add(uuids, ids)}::uuid[])`;

/** Workspaces of the viewer: all, or those with these ids. */
export const workspaces = new List({
  columns: 'w.id, w.name, w.encrypted, m.role, w.created_at',
  row: { id: uuid, name: text, encrypted: bool, role: text, createdAt: instantText },
  source: ({ viewer, which }: { viewer: Member; which?: Ids | undefined }, params) =>
    `FROM ${memberWorkspacesSql(viewer, params)} WHERE ${which ? `w.id ${amongSql(which, params)}` : 'true'}`,
  order: creationOrder('w.created_at', 'w.id'),
  samples: () => [{ viewer: member }, { viewer: member, which: some }],
});

/** Live datasets that the viewer sees: with these ids, of a workspace, or assigned to a project. */
export type WhichDatasets = Ids | { workspace: ParentSql } | { project: ParentSql };

export const datasets = new List({
  columns:
    'd.id, d.workspace_id, d.name, d.description, d.status, d.version, w.encrypted, m.role, d.created_at',
  row: {
    id: uuid,
    workspaceId: uuid,
    name: text,
    description: text,
    status: text,
    version: int4,
    encrypted: bool,
    role: text,
    createdAt: instantText,
  },
  source: ({ viewer, which }: { viewer: Member; which: WhichDatasets }, params) => {
    const from = `FROM ${memberWorkspacesSql(viewer, params)} JOIN dataset d ON d.workspace_id = w.id AND d.deleted_at IS NULL`;
    if ('ids' in which) return `${from} WHERE d.id ${amongSql(which, params)}`;
    if ('workspace' in which) return `${from} WHERE d.workspace_id = ${which.workspace(params)}`;
    return `${from} JOIN project_dataset pd ON pd.dataset_id = d.id WHERE pd.project_id = ${which.project(params)}`;
  },
  order: creationOrder('d.created_at', 'd.id'),
  samples: (parent) => [
    { viewer: member, which: some },
    { viewer: member, which: { workspace: parent } },
    { viewer: member, which: { project: parent } },
  ],
});

/** Live projects that the viewer sees: with these ids, of a workspace, or to which a dataset is assigned. */
export type WhichProjects = Ids | { workspace: ParentSql } | { dataset: ParentSql };

export const projects = new List({
  columns:
    'p.id, p.workspace_id, p.name, p.description, p.status, w.encrypted, m.role, p.created_at',
  row: {
    id: uuid,
    workspaceId: uuid,
    name: text,
    description: text,
    status: text,
    encrypted: bool,
    role: text,
    createdAt: instantText,
  },
  source: ({ viewer, which }: { viewer: Member; which: WhichProjects }, params) => {
    const from = `FROM ${memberWorkspacesSql(viewer, params)} JOIN project p ON p.workspace_id = w.id AND p.deleted_at IS NULL`;
    if ('ids' in which) return `${from} WHERE p.id ${amongSql(which, params)}`;
    if ('workspace' in which) return `${from} WHERE p.workspace_id = ${which.workspace(params)}`;
    return `${from} JOIN project_dataset pd ON pd.project_id = p.id WHERE pd.dataset_id = ${which.dataset(params)}`;
  },
  order: creationOrder('p.created_at', 'p.id'),
  samples: (parent) => [
    { viewer: member, which: some },
    { viewer: member, which: { workspace: parent } },
    { viewer: member, which: { dataset: parent } },
  ],
});

/** Live images that the viewer sees: with these ids, of a dataset, or the others in it with the same bytes. */
export type WhichImages =
  | Ids
  | { dataset: ParentSql; hasAnnotations?: boolean | null | undefined }
  | { duplicatesOf: { id: string; datasetId: string; storageKey: string } };

function imagesSql(which: WhichImages, params: TypedParams): string {
  if ('ids' in which) return `i.id ${amongSql(which, params)}`;
  if ('duplicatesOf' in which) {
    const { datasetId, storageKey, id } = which.duplicatesOf;
    return `i.dataset_id = ${params.add(uuid, datasetId)} AND b.storage_key = ${params.add(text, storageKey)} AND i.id <> ${params.add(uuid, id)}`;
  }
  const { dataset, hasAnnotations } = which;
  const annotated =
    hasAnnotations == null ? '' : ` AND i.annotation_count ${hasAnnotations ? '>' : '='} 0`;
  return `i.dataset_id = ${dataset(params)}${annotated}`;
}

export const images = new List({
  columns: `i.id, i.dataset_id, i.name, i.width, i.height, i.mime_type, i.annotation_count, i.created_date, m.role,
      b.storage_key, b.byte_size, b.sha256, t.storage_key AS thumb_key, t.byte_size AS thumb_size, t.sha256 AS thumb_hash`,
  row: {
    id: uuid,
    datasetId: uuid,
    name: text,
    width: int4,
    height: int4,
    mimeType: nullable(text),
    annotationCount: int4,
    createdDate: instantText,
    role: text,
    storageKey: text,
    byteSize: int8,
    sha256: char,
    thumbKey: text,
    thumbSize: int8,
    thumbHash: char,
  },
  source: ({ viewer, which }: { viewer: Member; which: WhichImages }, params) =>
    `FROM ${memberWorkspacesSql(viewer, params)} JOIN dataset d ON d.workspace_id = w.id AND d.deleted_at IS NULL JOIN image i ON i.dataset_id = d.id AND i.deleted_at IS NULL
       JOIN blob b ON b.id = i.blob_id JOIN blob t ON t.id = i.thumb_blob_id WHERE ${imagesSql(which, params)}`,
  order: creationOrder('i.created_date', 'i.id'),
  samples: (parent) => [
    { viewer: member, which: some },
    { viewer: member, which: { duplicatesOf: { id: '', datasetId: '', storageKey: '' } } },
    ...[undefined, true, false].map((hasAnnotations) => ({
      viewer: member,
      which: { dataset: parent, hasAnnotations },
    })),
  ],
});
