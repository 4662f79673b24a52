import { requireViewer } from '../../auth/guards.ts';
import type { Context } from '../../core/context/context.ts';
import { EncryptionError } from '../envelope/dataset-errors.ts';
import { requireWorkspace } from './load-workspace.ts';
import { isSameChecksum } from './same-checksum.ts';

/**
 * Tells whether a checksum is that of the workspace's key, in constant time; 10 wrong ones a minute at most (F234). The stored one is never returned, for a
 * key made from a passphrase could be guessed from it. GraphQL `verifyWorkspaceKey`. Throws NotFoundError, EncryptionError, E902.
 */
export async function verifyWorkspaceKey(
  ctx: Context,
  args: { workspaceId: string; checksum: string },
): Promise<'MATCH' | 'MISMATCH'> {
  const viewer = requireViewer(ctx);
  const { id } = await requireWorkspace(ctx, args.workspaceId);
  if (args.checksum.length !== 44) throw new EncryptionError('INVALID_CHECKSUM');
  await ctx.keyCheckThrottle.take(viewer.userId, id);
  const [row] = await ctx.db.rows('SELECT encryption_checksum FROM workspace WHERE id = $1', [id]);
  const match = isSameChecksum(row?.[0] ?? '', args.checksum);
  if (match) await ctx.keyCheckThrottle.forget(viewer.userId, id);
  ctx.log.info(
    { audit: 'verifyWorkspaceKey', actor: viewer.userId, target: id, match },
    'workspace key checked',
  );
  return match ? 'MATCH' : 'MISMATCH';
}
