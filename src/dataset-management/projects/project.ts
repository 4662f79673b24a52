import type { TypedParams } from '../../core/sql/statement.ts';
import type { Viewer } from '../../core/context/viewer.ts';
import type { PublishStatus } from '../datasets/dataset.ts';
import { creationOrder, type ListQuery } from '../../core/lists/read-list.ts';
import { memberWorkspacesSql, roleOf, type WorkspaceRole } from '../workspaces/workspace.ts';

interface ProjectRow {
  id: string;
  workspaceId: string;
  name: string;
  description: string;
  status: PublishStatus;
  /** Of the workspace. */
  encrypted: boolean;
  /** Of the viewer in the workspace. */
  role: WorkspaceRole;
  createdAt: string;
}

/** A project, for a member of its workspace. */
export class Project implements ProjectRow {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly description: string;
  readonly status: PublishStatus;
  readonly encrypted: boolean;
  readonly role: WorkspaceRole;
  readonly createdAt: string;

  constructor(row: ProjectRow) {
    this.id = row.id;
    this.workspaceId = row.workspaceId;
    this.name = row.name;
    this.description = row.description;
    this.status = row.status;
    this.encrypted = row.encrypted;
    this.role = row.role;
    this.createdAt = row.createdAt;
  }
}

/** The live projects that the viewer sees, oldest first, narrowed by a condition over `p`; `joins` adds tables. */
export function projectList(
  viewer: Viewer,
  condition: (params: TypedParams) => string,
  joins = '',
): ListQuery<Project> {
  return {
    columns:
      'p.id, p.workspace_id, p.name, p.description, p.status, w.encrypted, m.role, p.created_at',
    source: (params) =>
      `FROM ${memberWorkspacesSql(viewer, params)} JOIN project p ON p.workspace_id = w.id AND p.deleted_at IS NULL ${joins} WHERE ${condition(params)}`,
    order,
    read: ([id, workspaceId, name, description, status, encrypted, role, createdAt]) =>
      new Project({
        id: id ?? '',
        workspaceId: workspaceId ?? '',
        name: name ?? '',
        description: description ?? '',
        status: status === 'PUBLISHED' ? 'PUBLISHED' : 'DRAFT',
        encrypted: encrypted === 't',
        role: roleOf(role),
        createdAt: createdAt ?? '',
      }),
    position: (project) => [project.createdAt, project.id],
  };
}

const order = creationOrder('p.created_at', 'p.id');
