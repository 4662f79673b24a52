import type { SignedInContext } from '../../core/context/context.ts';
import { isWorkspaceUsed } from '../content/content.sql.ts';
import { EncryptionError } from '../envelope/dataset-errors.ts';
import { changeKeys } from './change-keys.ts';
import { isSameChecksum } from './same-checksum.ts';
import type { Workspace } from './workspace.ts';

/**
 * Marks an empty workspace as encrypted and keeps the checksum of its key (F231). Repeating it with the same checksum
 * changes nothing; there is no way back. Owners only. GraphQL `enableEncryption`, REST POST
 * /api/Workspaces/enableEncryption. Throws EncryptionError, NotFoundError, ForbiddenError.
 */
export function enableEncryption(
  ctx: SignedInContext,
  args: { workspaceId: string; checksum: string },
): Promise<Workspace> {
  const { workspaceId: id, checksum } = args;
  return changeKeys(ctx, id, async (db, { encryptionChecksum: stored }) => {
    if ([...checksum].length !== 44) throw new EncryptionError('INVALID_CHECKSUM');
    if (stored !== null && isSameChecksum(stored, checksum)) return;
    if (stored !== null) throw new EncryptionError('ALREADY_ENCRYPTED');
    if ((await isWorkspaceUsed.first(db, { id }))?.used)
      throw new EncryptionError('WORKSPACE_NOT_EMPTY');
    const encryptedAt = new Date(ctx.clock());
    await db.prisma.workspace.update({
      where: { id },
      data: { encrypted: true, encryptionChecksum: checksum, encryptedAt },
    });
  });
}
