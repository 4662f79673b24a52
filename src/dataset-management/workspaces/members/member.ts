import type { Viewer } from '../../../core/context/viewer.ts';
import type { ListQuery } from '../../../core/lists/list.sql.ts';
import { rowClass } from '../../../core/lists/row-class.ts';
import { workspaceMembers, type WhichMembers } from '../../content/content.sql.ts';
import { roleOf, type WorkspaceRole } from '../workspace.ts';

interface MemberRow {
  workspaceId: string;
  userId: number;
  login: string;
  displayName: string;
  role: WorkspaceRole;
}

/** A member of a workspace, as the other members see them. */
export class WorkspaceMember extends rowClass<MemberRow>() {
  /** Names the membership, not the user: who leaves and comes back is the same member. */
  get id(): string {
    return `${this.workspaceId}:${this.userId}`;
  }
}

/** The members of workspaces that the viewer sees, by login. */
export function memberList(viewer: Viewer, which: WhichMembers): ListQuery<WorkspaceMember> {
  return workspaceMembers.query(
    { viewer, which },
    (row) => new WorkspaceMember({ ...row, role: roleOf(row.role) }),
    (member) => [member.login],
  );
}
