import type { TypedParams } from '../../core/sql/statement.ts';
import type { Viewer } from '../../core/context/viewer.ts';
import { creationOrder, type ListQuery } from '../../core/lists/read-list.ts';
import { memberWorkspacesSql, roleOf, type WorkspaceRole } from '../workspaces/workspace.ts';

/** DRAFT, then PUBLISHED for good (D-65). */
export type PublishStatus = 'DRAFT' | 'PUBLISHED';

interface DatasetRow {
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
export class Dataset implements DatasetRow {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly description: string;
  readonly status: PublishStatus;
  readonly version: number;
  readonly encrypted: boolean;
  readonly role: WorkspaceRole;
  readonly createdAt: string;

  constructor(row: DatasetRow) {
    this.id = row.id;
    this.workspaceId = row.workspaceId;
    this.name = row.name;
    this.description = row.description;
    this.status = row.status;
    this.version = row.version;
    this.encrypted = row.encrypted;
    this.role = row.role;
    this.createdAt = row.createdAt;
  }
}

/** The live datasets that the viewer sees, oldest first, narrowed by a condition over `d`; `joins` adds tables. */
export function datasetList(
  viewer: Viewer,
  condition: (params: TypedParams) => string,
  joins = '',
): ListQuery<Dataset> {
  return {
    columns:
      'd.id, d.workspace_id, d.name, d.description, d.status, d.version, w.encrypted, m.role, d.created_at',
    source: (params) =>
      `FROM ${memberWorkspacesSql(viewer, params)} JOIN dataset d ON d.workspace_id = w.id AND d.deleted_at IS NULL ${joins} WHERE ${condition(params)}`,
    order,
    read: ([id, workspaceId, name, description, status, version, encrypted, role, createdAt]) =>
      new Dataset({
        id: id ?? '',
        workspaceId: workspaceId ?? '',
        name: name ?? '',
        description: description ?? '',
        status: status === 'PUBLISHED' ? 'PUBLISHED' : 'DRAFT',
        version: Number(version),
        encrypted: encrypted === 't',
        role: roleOf(role),
        createdAt: createdAt ?? '',
      }),
    position: (dataset) => [dataset.createdAt, dataset.id],
  };
}

const order = creationOrder('d.created_at', 'd.id');

/** REST: Draft, Published. */
export function presentStatus(status: string): 'Published' | 'Draft' {
  return status === 'PUBLISHED' ? 'Published' : 'Draft';
}
