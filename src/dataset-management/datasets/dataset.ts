import type { Viewer } from '../../core/context/viewer.ts';
import type { ListQuery } from '../../core/lists/list.sql.ts';
import { rowClass } from '../../core/lists/row-class.ts';
import { datasets, type WhichDatasets } from '../content/lists.sql.ts';
import { roleOf, type WorkspaceRole } from '../workspaces/workspace.ts';

/** DRAFT, then PUBLISHED for good (D-65). */
export type PublishStatus = 'DRAFT' | 'PUBLISHED';

/** A dataset or a project, as one of the members of its workspace sees it. */
export interface ContentRow {
  id: string;
  workspaceId: string;
  name: string;
  description: string;
  status: PublishStatus;
  version: number;
  /** Of the workspace. */
  encrypted: boolean;
  /** Of the viewer in the workspace. */
  role: WorkspaceRole;
  createdAt: string;
}

/** A dataset, for a member of its workspace. */
export class Dataset extends rowClass<ContentRow>() {}

/** The live datasets that the viewer sees, oldest first. */
export function datasetList(viewer: Viewer, which: WhichDatasets): ListQuery<Dataset> {
  return datasets.query(
    { viewer, which },
    (row) => new Dataset({ ...row, status: statusOf(row.status), role: roleOf(row.role) }),
    (dataset) => [dataset.createdAt, dataset.id],
  );
}

/** A status as stored. */
export function statusOf(cell: string): PublishStatus {
  return cell === 'PUBLISHED' ? 'PUBLISHED' : 'DRAFT';
}

/** REST: Draft, Published. */
export function presentStatus(status: string): 'Published' | 'Draft' {
  return status === 'PUBLISHED' ? 'Published' : 'Draft';
}
