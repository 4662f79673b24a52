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
export type Member = Pick<Viewer, 'userId' | 'domainId'>;
/** Rows with these ids. */
export interface Ids {
  ids: readonly string[];
}

/** For samples. */
export const member: Member = { userId: 1, domainId: 1 };
/** For samples. */
export const some: Ids = { ids: [] };

/** `w` and `m` join the live workspaces of which the viewer is a member: the one place that says who sees what. */
export function memberWorkspacesSql({ userId, domainId }: Member, params: TypedParams): string {
  return `workspace w JOIN workspace_member m ON m.workspace_id = w.id AND m.user_id = ${params.add(int4, userId)} AND w.domain_id = ${params.add(int4, domainId)} AND w.deleted_at IS NULL`;
}

/** A condition of an id. */
export const amongSql = ({ ids }: Ids, params: TypedParams): string =>
  `= ANY (${params.add(uuids, ids)}::uuid[])`;

/** The columns of datasets and projects. */
const contentRow = {
  id: uuid,
  workspaceId: uuid,
  name: text,
  description: text,
  status: text,
  version: int4,
  encrypted: bool,
  role: text,
  createdAt: instantText,
};

/** Live datasets that the viewer sees: with these ids, of a workspace, or assigned to a project. */
export type WhichDatasets = Ids | { workspace: ParentSql } | { project: ParentSql };

export const datasets = new List({
  columns:
    'd.id, d.workspace_id, d.name, d.description, d.status, d.version, w.encrypted, m.role, d.created_at',
  row: contentRow,
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
    'p.id, p.workspace_id, p.name, p.description, p.status, p.version, w.encrypted, m.role, p.created_at',
  row: contentRow,
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

/** The work on images in a project; logins of users, folded. */
export interface WorkFilter {
  projectId: string;
  state?: string;
  annotator?: string;
  assignee?: string;
  classId?: string;
}

/** Live images that the viewer sees: with these ids, of a dataset, or the others in it with the same bytes. */
export type WhichImages =
  | Ids
  | {
      dataset: ParentSql;
      hasAnnotations?: boolean | null | undefined;
      work?: WorkFilter | undefined;
    }
  | { duplicatesOf: { id: string; datasetId: string; storageKey: string } };

function imagesSql(which: WhichImages, params: TypedParams): string {
  if ('ids' in which) return `i.id ${amongSql(which, params)}`;
  if ('duplicatesOf' in which) {
    const { datasetId, storageKey, id } = which.duplicatesOf;
    return `i.dataset_id = ${params.add(uuid, datasetId)} AND b.storage_key = ${params.add(text, storageKey)} AND i.id <> ${params.add(uuid, id)}`;
  }
  const { dataset, hasAnnotations, work } = which;
  const annotated =
    hasAnnotations == null ? '' : ` AND i.annotation_count ${hasAnnotations ? '>' : '='} 0`;
  const unseen =
    work?.state === 'NONE'
      ? ` AND NOT EXISTS (${reviewedBeforeSql(params.add(uuid, work.projectId), dataset(params), `r.state <> 'NONE'`)})`
      : '';
  return `i.dataset_id = ${dataset(params)}${annotated}${work ? ofClassSql(work, params) : ''}${unseen}`;
}

/**
 * Selects a row of the image `i` for which the condition holds. All rows of the project and dataset are read in the order of
 * images, next to these: the annotated ones come first, and looking each of them up would take long.
 */
export const reviewedBeforeSql = (project: string, dataset: string, condition: string): string =>
  `SELECT FROM (SELECT r.created_date, r.image_id FROM image_review r WHERE r.project_id = ${project} AND r.dataset_id = ${dataset} AND (${condition})
     ORDER BY r.created_date, r.image_id OFFSET 0) r WHERE r.created_date = i.created_date AND r.image_id = i.id`;

const ofClassSql = ({ classId }: WorkFilter, params: TypedParams): string =>
  classId === undefined
    ? ''
    : ` AND EXISTS (SELECT FROM annotation a WHERE a.class_id = ${params.add(uuid, classId)} AND a.image_id = i.id)`;

/** `d` joins live datasets; with `work`, those of that project `p`. */
function datasetsFromSql(
  viewer: Member,
  work: WorkFilter | undefined,
  params: TypedParams,
): string {
  const ofProject = work
    ? ` JOIN project p ON p.id = ${params.add(uuid, work.projectId)} AND p.deleted_at IS NULL JOIN project_dataset pd ON pd.project_id = p.id AND pd.dataset_id = d.id`
    : '';
  return `${memberWorkspacesSql(viewer, params)} JOIN dataset d ON d.workspace_id = w.id AND d.deleted_at IS NULL${ofProject}`;
}
const BYTES = 'JOIN blob b ON b.id = i.blob_id JOIN blob t ON t.id = i.thumb_blob_id';

const bytes = { storageKey: text, byteSize: int8, sha256: char };
const imageColumns = {
  columns: `i.id, i.dataset_id, i.name, i.path, i.width, i.height, i.mime_type, i.key_number, i.proof, i.annotation_count, i.created_date, m.role,
      b.storage_key, b.byte_size, b.sha256, t.storage_key AS thumb_key, t.byte_size AS thumb_size, t.sha256 AS thumb_hash`,
  row: {
    id: uuid,
    datasetId: uuid,
    name: text,
    path: nullable(text),
    width: int4,
    height: int4,
    mimeType: nullable(text),
    keyNumber: int4,
    proof: nullable(char),
    annotationCount: int4,
    createdDate: instantText,
    role: text,
    ...bytes,
    thumbKey: text,
    thumbSize: int8,
    thumbHash: char,
  },
};

export const images = new List({
  ...imageColumns,
  source: ({ viewer, which }: { viewer: Member; which: WhichImages }, params) =>
    `FROM ${datasetsFromSql(viewer, 'work' in which ? which.work : undefined, params)} JOIN image i ON i.dataset_id = d.id AND i.deleted_at IS NULL ${BYTES} WHERE ${imagesSql(which, params)}`,
  order: creationOrder('i.created_date', 'i.id'),
  samples: (parent) => [
    { viewer: member, which: some },
    { viewer: member, which: { duplicatesOf: { id: '', datasetId: '', storageKey: '' } } },
    ...[undefined, true, false].map((hasAnnotations) => ({
      viewer: member,
      which: { dataset: parent, hasAnnotations },
    })),
    {
      viewer: member,
      which: { dataset: parent, work: { projectId: '', state: 'NONE', classId: '' } },
    },
  ],
});

interface Worked {
  dataset: ParentSql;
  hasAnnotations?: boolean | null | undefined;
  work: WorkFilter;
}

/** The images of a dataset with a row of the work on them in a project, by what that row says: in the order of its indexes. */
export const reviewedImages = new List({
  ...imageColumns,
  source: ({ viewer, which }: { viewer: Member; which: Worked }, params) => {
    const { dataset, hasAnnotations, work } = which;
    const userSql = (login: string): string =>
      `(SELECT u.id FROM "user" u WHERE u.login = ${params.add(text, login)} AND u.domain_id = ${params.add(int4, viewer.domainId)})`;
    const { state, annotator, assignee } = work;
    const conditions = [
      ...(state === undefined ? [] : [`r.state = ${params.add(text, state)}`]),
      ...(annotator === undefined ? [] : [`r.annotated_by = ${userSql(annotator)}`]),
      ...(assignee === undefined ? [] : [`r.assignee_id = ${userSql(assignee)}`]),
      ...(hasAnnotations == null ? [] : [`i.annotation_count ${hasAnnotations ? '>' : '='} 0`]),
    ];
    // OFFSET 0: an image is looked up for each row, in their order, never the other way round.
    return `FROM ${datasetsFromSql(viewer, work, params)} JOIN image_review r ON r.dataset_id = d.id
       JOIN LATERAL (SELECT * FROM image WHERE id = r.image_id AND deleted_at IS NULL OFFSET 0) i ON true ${BYTES}
       WHERE r.project_id = ${params.add(uuid, work.projectId)} AND r.dataset_id = ${dataset(params)} AND ${conditions.join(' AND ')}${ofClassSql(work, params)}`;
  },
  order: creationOrder('r.created_date', 'r.image_id'),
  samples: (parent) => [
    {
      viewer: member,
      which: { dataset: parent, hasAnnotations: true, work: { projectId: '', state: '' } },
    },
    {
      viewer: member,
      which: {
        dataset: parent,
        work: { projectId: '', state: '', annotator: '', assignee: '', classId: '' },
      },
    },
  ],
});
