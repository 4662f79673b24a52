import type { Viewer } from '../../core/context/viewer.ts';
import { statusOf, type PublishStatus } from '../datasets/dataset.ts';
import type { ListQuery } from '../../core/lists/list.sql.ts';
import { projects, type WhichProjects } from '../content/lists.sql.ts';
import { roleOf, type WorkspaceRole } from '../workspaces/workspace.ts';

interface ProjectRow {
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

/** A project, for a member of its workspace. */
export class Project implements ProjectRow {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly description: string;
  readonly status: PublishStatus;
  readonly version: number;
  readonly encrypted: boolean;
  readonly role: WorkspaceRole;
  readonly createdAt: string;

  constructor(row: ProjectRow) {
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

/** The live projects that the viewer sees, oldest first. */
export function projectList(viewer: Viewer, which: WhichProjects): ListQuery<Project> {
  return projects.query(
    { viewer, which },
    (row) => new Project({ ...row, status: statusOf(row.status), role: roleOf(row.role) }),
    (project) => [project.createdAt, project.id],
  );
}
