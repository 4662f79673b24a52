import { tellAct } from '../../../core/context/act.ts';
import type { SignedInContext } from '../../../core/context/context.ts';
import { EncryptionError } from '../../envelope/dataset-errors.ts';
import { changeKeys } from '../change-keys.ts';
import { requireWorkspace } from '../load-workspace.ts';
import { isSameChecksum } from '../same-checksum.ts';
import type { Workspace } from '../workspace.ts';

/**
 * Begins to move an encrypted workspace to another key: from now on new images are encrypted under the new one, and both
 * are valid until finishKeyRotation. Needs the checksum of the current key, too. Repeating it changes nothing. Owners
 * only. GraphQL `beginKeyRotation`. Throws EncryptionError, NotFoundError, ForbiddenError, E902.
 */
export async function beginKeyRotation(
  ctx: SignedInContext,
  args: { workspaceId: string; checksum: string; newChecksum: string },
): Promise<Workspace> {
  const { id } = await requireWorkspace(ctx, args.workspaceId, 'own');
  tellAct(ctx, { target: id });
  const { checksum, newChecksum } = args;
  await ctx.keyCheckThrottle.take(ctx.viewer.userId, id);
  const workspace = await changeKeys(ctx, id, async (db, stored) => {
    const { encryptionChecksum: current, oldChecksum: old } = stored;
    if (current === null) throw new EncryptionError('NOT_ENCRYPTED');
    if (old !== null) {
      if (isSameChecksum(old, checksum) && isSameChecksum(current, newChecksum)) return;
      throw new EncryptionError('ROTATION_UNDER_WAY');
    }
    if (!isSameChecksum(current, checksum)) throw new EncryptionError('WRONG_KEY');
    if (isSameChecksum(current, newChecksum))
      throw new EncryptionError('ALREADY_ENCRYPTED', 'The workspace has this key already.');
    const number = stored.keysMade + 1;
    await db.prisma.workspace.update({
      where: { id },
      data: {
        encryptionChecksum: newChecksum,
        keyNumber: number,
        keysMade: number,
        oldChecksum: current,
        oldKeyNumber: stored.keyNumber,
      },
    });
  });
  await ctx.keyCheckThrottle.forget(ctx.viewer.userId, id);
  return workspace;
}
