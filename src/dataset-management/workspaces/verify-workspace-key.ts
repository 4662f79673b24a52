import type { SignedInContext } from '../../core/context/context.ts';
import { EncryptionError } from '../envelope/dataset-errors.ts';
import { requireWorkspace } from './load-workspace.ts';
import { isSameChecksum } from './same-checksum.ts';

/**
 * The number of the workspace's key that has a checksum, compared in constant time; undefined if none has. While the key
 * changes, two have one. 10 wrong ones a minute at most (F234). The
 * stored one is never returned, for a key made from a passphrase could be guessed from it. GraphQL
 * `verifyWorkspaceKey`. Throws NotFoundError, EncryptionError, E902.
 */
export async function verifyWorkspaceKey(
  ctx: SignedInContext,
  args: { workspaceId: string; checksum: string },
): Promise<number | undefined> {
  const viewer = ctx.viewer;
  const { id } = await requireWorkspace(ctx, args.workspaceId);
  if ([...args.checksum].length !== 44) throw new EncryptionError('INVALID_CHECKSUM');
  await ctx.keyCheckThrottle.take(viewer.userId, id);
  const stored = await ctx.db.prisma.workspace.findUnique({
    where: { id },
    select: { encryptionChecksum: true, keyNumber: true, oldChecksum: true, oldKeyNumber: true },
  });
  const isCurrent = isSameChecksum(stored?.encryptionChecksum ?? '', args.checksum);
  const isOld = isSameChecksum(stored?.oldChecksum ?? '', args.checksum);
  const match = isCurrent || isOld;
  if (match) await ctx.keyCheckThrottle.forget(viewer.userId, id);
  ctx.log.info(
    { audit: 'verifyWorkspaceKey', actor: viewer.userId, target: id, match },
    'workspace key checked',
  );
  if (isCurrent) return stored?.keyNumber;
  return isOld ? (stored?.oldKeyNumber ?? undefined) : undefined;
}
