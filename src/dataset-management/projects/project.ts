import type { Viewer } from '../../core/context/viewer.ts';
import { statusOf, type ContentRow } from '../datasets/dataset.ts';
import type { ListQuery } from '../../core/lists/list.sql.ts';
import { rowClass } from '../../core/lists/row-class.ts';
import { projects, type WhichProjects } from '../content/lists.sql.ts';
import { roleOf } from '../workspaces/workspace.ts';

/** A project, for a member of its workspace. */
export class Project extends rowClass<ContentRow>() {}

/** The live projects that the viewer sees, oldest first. */
export function projectList(viewer: Viewer, which: WhichProjects): ListQuery<Project> {
  return projects.query(
    { viewer, which },
    (row) => new Project({ ...row, status: statusOf(row.status), role: roleOf(row.role) }),
    (project) => [project.createdAt, project.id],
  );
}
