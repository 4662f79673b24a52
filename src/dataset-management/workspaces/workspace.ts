import type { Viewer } from '../../core/context/viewer.ts';
import type { Cell } from '../../core/wire/wire.ts';
import { ForbiddenError } from '../../core/errors.ts';
import type { TypedParams } from '../../core/sql/statement.ts';
import { int4 } from '../../core/sql/types.ts';
import { creationOrder, type ListQuery } from '../../core/lists/read-list.ts';

export type WorkspaceRole = 'OWNER' | 'MANAGER' | 'DEVELOPER' | 'ANNOTATOR';

/**
 * What members may do: `change` datasets, images and projects, or `own`: delete and encrypt the workspace (D-72). Every
 * member may read and annotate.
 */
const rights: Record<'change' | 'own', readonly WorkspaceRole[]> = {
  change: ['OWNER', 'MANAGER', 'DEVELOPER'],
  own: ['OWNER'],
};

/** A workspace as one of its members sees it. */
export class Workspace {
  readonly id: string;
  readonly name: string;
  readonly encrypted: boolean;
  readonly role: WorkspaceRole;
  /** As PostgreSQL prints it. */
  readonly createdAt: string;

  constructor(row: {
    id: string;
    name: string;
    encrypted: boolean;
    role: WorkspaceRole;
    createdAt: string;
  }) {
    this.id = row.id;
    this.name = row.name;
    this.encrypted = row.encrypted;
    this.role = row.role;
    this.createdAt = row.createdAt;
  }
}

/** Throws ForbiddenError unless the role allows it. */
export function requireRight(row: { role: WorkspaceRole }, right: 'change' | 'own'): void {
  if (!rights[right].includes(row.role))
    throw new ForbiddenError(`This needs the role ${rights[right].join(' or ')} in the workspace`);
}

/** `w` and `m` join the live workspaces of which the viewer is a member: the one place that says who sees what. */
export function memberWorkspacesSql(viewer: Viewer, params: TypedParams): string {
  return `workspace w JOIN workspace_member m ON m.workspace_id = w.id AND m.user_id = ${params.add(int4, viewer.userId)} AND w.domain_id = ${params.add(int4, viewer.domainId)} AND w.deleted_at IS NULL`;
}

/** The workspaces of the viewer, oldest first; `condition` narrows them. */
export function workspaceList(
  viewer: Viewer,
  condition?: (params: TypedParams) => string,
): ListQuery<Workspace> {
  return {
    columns: 'w.id, w.name, w.encrypted, m.role, w.created_at',
    source: (params) =>
      `FROM ${memberWorkspacesSql(viewer, params)} WHERE ${condition?.(params) ?? 'true'}`,
    order,
    read: ([id, name, encrypted, role, createdAt]) =>
      new Workspace({
        id: id ?? '',
        name: name ?? '',
        encrypted: encrypted === 't',
        role: roleOf(role),
        createdAt: createdAt ?? '',
      }),
    position: (workspace) => [workspace.createdAt, workspace.id],
  };
}

const order = creationOrder('w.created_at', 'w.id');

/** A role as stored; the least one if it is unknown. */
export function roleOf(cell: Cell | undefined): WorkspaceRole {
  return cell === 'OWNER' || cell === 'MANAGER' || cell === 'DEVELOPER' ? cell : 'ANNOTATOR';
}
