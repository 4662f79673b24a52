import { requireViewer } from '../../auth/guards.ts';
import type { Context } from '../../core/context/context.ts';
import { writeAuditLog } from '../../core/context/write-audit-log.ts';
import { EncryptionError } from '../envelope/dataset-errors.ts';
import { isSameChecksum } from './same-checksum.ts';
import { forgetWorkspaces, requireWorkspace } from './load-workspace.ts';
import type { Workspace } from './workspace.ts';

/**
 * Marks an empty workspace as encrypted and keeps the checksum of its key (F231). Repeating it with the same checksum changes nothing; there is no way back.
 * Owners only. GraphQL `enableEncryption`, REST POST /api/Workspaces/enableEncryption. Throws EncryptionError, NotFoundError, ForbiddenError.
 */
export async function enableEncryption(
  ctx: Context,
  args: { workspaceId: string; checksum: string },
): Promise<Workspace> {
  const { userId } = requireViewer(ctx);
  const at = new Date(ctx.clock());
  const { id } = await requireWorkspace(ctx, args.workspaceId, 'own');
  if (args.checksum.length !== 44) throw new EncryptionError('INVALID_CHECKSUM');
  await ctx.db.transaction(async (client) => {
    // Uploads lock the row too, so that no image slips in.
    const { rows } = await client.query<{ encryption_checksum: string | null; used: boolean }>(
      `SELECT encryption_checksum, EXISTS (SELECT FROM image i JOIN dataset d ON d.id = i.dataset_id WHERE d.workspace_id = w.id AND d.deleted_at IS NULL AND i.deleted_at IS NULL) AS used
       FROM workspace w WHERE id = $1 FOR UPDATE`,
      [id],
    );
    const stored = rows[0]?.encryption_checksum ?? null;
    if (stored !== null && isSameChecksum(stored, args.checksum)) return;
    if (stored !== null) throw new EncryptionError('ALREADY_ENCRYPTED');
    if (rows[0]?.used) throw new EncryptionError('WORKSPACE_NOT_EMPTY');
    await client.query(
      'UPDATE workspace SET encrypted = true, encryption_checksum = $2, encrypted_at = $3 WHERE id = $1',
      [id, args.checksum, at],
    );
    await writeAuditLog(client, {
      actor: `user:${userId}`,
      action: 'enableEncryption',
      target: id,
      at,
    });
  });
  forgetWorkspaces(ctx);
  return requireWorkspace(ctx, id);
}
