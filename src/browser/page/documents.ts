import type { AnnotationShape } from '../../dataset-management/projects/annotations/geometry.ts';

/** Where a page of a list is among the others. */
export interface PageInfo {
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  startCursor: string | null;
  endCursor: string | null;
}
export interface Page<Row> {
  totalCount: number;
  pageInfo: PageInfo;
  nodes: Row[];
}
export interface WorkspaceRow {
  id: string;
  uuid: string;
  name: string;
  encrypted: boolean;
  viewerRole: string;
}
export interface DatasetRow {
  uuid: string;
  name: string;
  status: string;
  imagesCount: number;
}
export interface Progress {
  total: number;
  none: number;
  annotated: number;
  accepted: number;
  rejected: number;
}
export interface ProjectRow {
  id: string;
  uuid: string;
  name: string;
  progress: Progress;
}
export interface AnnotationClassRow {
  name: string;
  color: string;
}
export interface Review {
  state: string;
  version: number;
  assignee: { displayName: string } | null;
}
export interface ImageRow {
  id: string;
  uuid: string;
  name: string;
  /** Below the folder that was uploaded; null without one. */
  path: string | null;
  width: number;
  height: number;
  thumbnailUrl: string;
}
/** What of an annotation is drawn. */
export interface Drawable {
  className: string;
  shape: AnnotationShape;
  geometry: unknown;
}
export interface AnnotationRow extends Drawable {
  id: string;
  author: { displayName: string } | null;
}
export interface JobRow {
  id: string;
  state: string;
  progress: number;
  byteSize: number | null;
  downloadUrl: string | null;
}

const PAGE_INFO = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
const PAGING = '$first: Int, $last: Int, $after: Cursor, $before: Cursor';
const PAGED = 'first: $first, last: $last, after: $after, before: $before';
const WORKSPACE = 'id uuid name encrypted viewerRole';
const DATASET = 'uuid name status imagesCount';
const PROJECT = 'id uuid name progress { total none annotated accepted rejected }';
const JOB = 'id state progress byteSize downloadUrl';
const REFUSED = '... on UserError { code message }';

export const WORKSPACES = `query PageOfWorkspaces(${PAGING}) {
  viewer { workspaces(${PAGED}) { totalCount ${PAGE_INFO} nodes { ${WORKSPACE} datasets(first: 10) { totalCount nodes { ${DATASET} } } } } }
}`;
export interface WorkspacesData {
  viewer: {
    workspaces: Page<WorkspaceRow & { datasets: { totalCount: number; nodes: DatasetRow[] } }>;
  };
}

export const ONE_WORKSPACE = `query OneWorkspace($uuid: UUID!, ${PAGING}) {
  workspace(uuid: $uuid) { ${WORKSPACE} datasets(${PAGED}) { totalCount ${PAGE_INFO} nodes { ${DATASET} } } projects(first: 50) { totalCount nodes { ${PROJECT} } } }
}`;
export interface WorkspaceData {
  workspace:
    | (WorkspaceRow & {
        datasets: Page<DatasetRow>;
        projects: { totalCount: number; nodes: ProjectRow[] };
      })
    | null;
}

export const ONE_DATASET = `query OneDataset($uuid: UUID!) {
  dataset(uuid: $uuid) { ${DATASET} description workspace { ${WORKSPACE} } projects(first: 100) { nodes { id uuid name } } }
}`;
export interface DatasetData {
  dataset:
    | (DatasetRow & {
        description: string;
        workspace: WorkspaceRow;
        projects: { nodes: { id: string; uuid: string; name: string }[] };
      })
    | null;
}

export const ONE_PROJECT = `query OneProject($uuid: UUID!) { project(uuid: $uuid) { ${PROJECT} classes { name color } } }`;
export interface ProjectData {
  project: (ProjectRow & { classes: AnnotationClassRow[] }) | null;
}

export const IMAGES = `query PageOfImages($uuid: UUID!, $filter: ImageFilterInput, $project: ID!, $annotated: Boolean!, ${PAGING}) {
  dataset(uuid: $uuid) { images(${PAGED}, filter: $filter) { totalCount ${PAGE_INFO} nodes {
    id uuid name path width height thumbnailUrl
    review(projectId: $project) @include(if: $annotated) { state version assignee { displayName } }
    annotations(projectId: $project, first: 50) @include(if: $annotated) { totalCount nodes { className shape geometry } }
  } } }
}`;
export interface ImagesData {
  dataset: {
    images: Page<
      ImageRow & {
        review?: Review | null;
        annotations?: { totalCount: number; nodes: Drawable[] };
      }
    >;
  } | null;
}

export const ONE_IMAGE = `query OneImage($uuid: UUID!) {
  image(uuid: $uuid) { id uuid name path width height thumbnailUrl downloadUrl dataset { uuid name workspace { ${WORKSPACE} } } }
}`;
export interface ImageData {
  image:
    | (ImageRow & {
        downloadUrl: string;
        dataset: { uuid: string; name: string; workspace: WorkspaceRow };
      })
    | null;
}

export const ANNOTATIONS = `query AnnotationsOfImage($uuid: UUID!, $project: ID!, $after: Cursor) {
  image(uuid: $uuid) {
    review(projectId: $project) { state version assignee { displayName } }
    annotations(projectId: $project, first: 100, after: $after) { totalCount ${PAGE_INFO} nodes { id className shape geometry author { displayName } } }
  }
}`;
export interface AnnotationsData {
  image: { review: Review | null; annotations: Page<AnnotationRow> } | null;
}

export const CHANGE_ANNOTATIONS = `mutation ChangeByHand($input: ChangeAnnotationsInput!) { result: changeAnnotations(input: $input) { __typename ${REFUSED} } }`;
export const REVIEW = `mutation Review($input: ReviewImageInput!) { result: reviewImage(input: $input) { __typename ${REFUSED} } }`;
export const EXPORT = `mutation Export($input: ExportProjectInput!) { result: exportProject(input: $input) { ... on ExportProjectPayload { job { ${JOB} } } ${REFUSED} } }`;
export const JOB_NOW = `query ExportNow($id: ID!) { node(id: $id) { ... on ExportJob { ${JOB} } } }`;

export const IMPORT_NOW = `query ImportNow($id: ID!) { node(id: $id) { ... on AnnotationImport { id state progress dryRun imagesCount annotationsCount replacedImagesCount unmatchedCount problemsCount problems { file image message } } } }`;
export interface ImportRow {
  id: string;
  state: string;
  progress: number;
  dryRun: boolean;
  imagesCount: number;
  annotationsCount: number;
  replacedImagesCount: number;
  unmatchedCount: number;
  problemsCount: number;
  problems: { file: string; image: string | null; message: string }[];
}
