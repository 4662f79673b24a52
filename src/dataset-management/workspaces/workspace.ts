import type { Viewer } from '../../core/context/viewer.ts';
import { ForbiddenError } from '../../core/errors.ts';
import type { ListQuery } from '../../core/lists/list.sql.ts';
import { rowClass } from '../../core/lists/row-class.ts';
import { workspaces } from '../content/content.sql.ts';

export const workspaceRoles = ['OWNER', 'MANAGER', 'DEVELOPER', 'ANNOTATOR'] as const;
export type WorkspaceRole = (typeof workspaceRoles)[number];

/**
 * What members may do: `change` datasets, images and projects, or `own`: delete and encrypt the workspace, and decide
 * who is a member (D-72). Every member may read and annotate.
 */
export type WorkspaceRight = 'change' | 'own';
const rights: Record<WorkspaceRight, readonly WorkspaceRole[]> = {
  change: ['OWNER', 'MANAGER', 'DEVELOPER'],
  own: ['OWNER'],
};

interface WorkspaceRow {
  id: string;
  name: string;
  encrypted: boolean;
  /** Number of the key under which new images are encrypted; of no meaning in plain workspaces. */
  keyNumber: number;
  /** Number of the key that is being left; null where none is. */
  oldKeyNumber: number | null;
  role: WorkspaceRole;
  /** As PostgreSQL prints it. */
  createdAt: string;
}

/** A workspace as one of its members sees it. */
export class Workspace extends rowClass<WorkspaceRow>() {}

/** Throws ForbiddenError unless the role allows it. */
export function requireRight(row: { role: WorkspaceRole }, right: WorkspaceRight): void {
  if (!rights[right].includes(row.role))
    throw new ForbiddenError(`This needs the role ${rights[right].join(' or ')} in the workspace`);
}

/** The workspaces of the viewer, oldest first; `which` narrows them. */
export function workspaceList(
  viewer: Viewer,
  which?: { ids: readonly string[] },
): ListQuery<Workspace> {
  return workspaces.query(
    { viewer, which },
    (row) => new Workspace({ ...row, role: roleOf(row.role) }),
    (workspace) => [workspace.createdAt, workspace.id],
  );
}

/** A role as stored; the least one if it is unknown. */
export function roleOf(cell: string): WorkspaceRole {
  return cell === 'OWNER' || cell === 'MANAGER' || cell === 'DEVELOPER' ? cell : 'ANNOTATOR';
}
