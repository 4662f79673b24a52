import { requireViewer } from '../../auth/guards.ts';
import type { Context } from '../../core/context/context.ts';
import { NotFoundError } from '../../core/errors.ts';
import { writeAuditLog } from '../../core/context/write-audit-log.ts';
import { forgetDatasets, requireDataset } from '../datasets/load-dataset.ts';
import { readUndoToken, type UndoKind } from '../content/undo-token.ts';
import { forgetWorkspaces, requireWorkspace } from '../workspaces/load-workspace.ts';
import { forgetImages, requireImage } from './load-image.ts';

/** How long a deletion can be undone: as long as the bytes are kept (D-66). */
export const UNDO_MS = 30 * 24 * 3600 * 1000;

/** Each restores one row that was deleted at $2 if the viewer $3 has the right; plain images never come back into a workspace that was encrypted since. */
const restore: Record<UndoKind, string> = {
  workspace: `UPDATE workspace w SET deleted_at = NULL FROM workspace_member m
    WHERE w.id = $1 AND w.deleted_at = $2 AND m.workspace_id = w.id AND m.user_id = $3 AND m.role = 'OWNER' RETURNING w.id`,
  dataset: `UPDATE dataset d SET deleted_at = NULL FROM workspace w JOIN workspace_member m ON m.workspace_id = w.id
    WHERE d.id = $1 AND d.deleted_at = $2 AND w.id = d.workspace_id AND w.deleted_at IS NULL AND m.user_id = $3 AND m.role <> 'ANNOTATOR'
      AND NOT EXISTS (SELECT FROM image i WHERE i.dataset_id = d.id AND i.deleted_at IS NULL AND (i.mime_type IS NULL) <> w.encrypted) RETURNING d.id`,
  image: `UPDATE image i SET deleted_at = NULL FROM dataset d JOIN workspace w ON w.id = d.workspace_id JOIN workspace_member m ON m.workspace_id = w.id
    WHERE i.id = $1 AND i.deleted_at = $2 AND d.id = i.dataset_id AND d.deleted_at IS NULL AND d.status = 'DRAFT' AND w.deleted_at IS NULL
      AND m.user_id = $3 AND m.role <> 'ANNOTATOR' AND (i.mime_type IS NULL) = w.encrypted RETURNING i.id`,
};

/** Brings back what was deleted in the last 30 days (D-66). GraphQL `undoDelete`. Throws NotFoundError: also for a right that is missing, no telling which. */
export async function undoDelete(
  ctx: Context,
  args: { undoToken: string },
): Promise<{ kind: UndoKind; id: string }> {
  const viewer = requireViewer(ctx);
  const deletion = readUndoToken(args.undoToken);
  if (!deletion || ctx.clock() - deletion.deletedAt.getTime() > UNDO_MS)
    throw new NotFoundError('Deletion');
  const { kind, id, deletedAt } = deletion;
  const { userId } = viewer;
  await ctx.db.transaction(async (client) => {
    const { rowCount } = await client.query(restore[kind], [id, deletedAt, userId]);
    if (rowCount === 0) throw new NotFoundError('Deletion');
    await writeAuditLog(client, {
      actor: `user:${userId}`,
      action: 'undoDelete',
      target: id,
      at: new Date(ctx.clock()),
    });
  });
  forgetWorkspaces(ctx);
  forgetDatasets(ctx);
  forgetImages(ctx);
  await { workspace: requireWorkspace, dataset: requireDataset, image: requireImage }[kind](
    ctx,
    id,
  );
  return { kind, id };
}
