import type { Context } from '../../core/context/context.ts';
import { requireViewer } from '../../auth/guards.ts';
import { NotFoundError } from '../../core/errors.ts';
import { writeAuditLog } from '../../core/context/write-audit-log.ts';
import { makeUndoToken, type UndoKind } from './undo-token.ts';

const operations = {
  workspace: 'deleteWorkspace',
  dataset: 'deleteDataset',
  image: 'deleteImage',
} as const;
const names = { workspace: 'Workspace', dataset: 'Dataset', image: 'Image' } as const;

/**
 * Marks a live row as deleted and puts on record who did it; returns the token that undoes it (D-66). The right to do so was checked before. `condition` is
 * what must hold of the row `r` besides. Throws NotFoundError when there is no such row any more.
 */
export async function deleteSoftly(
  ctx: Context,
  kind: UndoKind,
  id: string,
  condition = 'true',
): Promise<string> {
  const actor = `user:${requireViewer(ctx).userId}`;
  const at = new Date(ctx.clock());
  await ctx.db.transaction(async (client) => {
    const { rowCount } = await client.query(
      `UPDATE ${kind} r SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL AND ${condition}`,
      [id, at],
    );
    if (rowCount === 0) throw new NotFoundError(names[kind]);
    await writeAuditLog(client, { actor, action: operations[kind], target: id, at });
  });
  return makeUndoToken(kind, id, at);
}
