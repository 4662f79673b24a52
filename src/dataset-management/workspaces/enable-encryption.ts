import type { SignedInContext } from '../../core/context/context.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import { tellAct, tellObject } from '../../core/context/act.ts';
import { isWorkspaceUsed, lockWorkspace } from '../content/content.sql.ts';
import { EncryptionError } from '../envelope/dataset-errors.ts';
import { isSameChecksum } from './same-checksum.ts';
import { forgetWorkspaces, requireWorkspace } from './load-workspace.ts';
import type { Workspace } from './workspace.ts';

/**
 * Marks an empty workspace as encrypted and keeps the checksum of its key (F231). Repeating it with the same checksum
 * changes nothing; there is no way back. Owners only. GraphQL `enableEncryption`, REST POST
 * /api/Workspaces/enableEncryption. Throws EncryptionError, NotFoundError, ForbiddenError.
 */
export async function enableEncryption(
  ctx: SignedInContext,
  args: { workspaceId: string; checksum: string },
): Promise<Workspace> {
  const at = new Date(ctx.clock());
  const { id } = await requireWorkspace(ctx, args.workspaceId, 'own');
  tellObject(ctx, 'Workspace', id);
  tellAct(ctx, { target: id });
  if ([...args.checksum].length !== 44) throw new EncryptionError('INVALID_CHECKSUM');
  await inTransaction(ctx, async ({ db }) => {
    // Uploads and restored images lock the row too, so that none slips in.
    const locked = await lockWorkspace.first(db, { id });
    const stored = locked?.encryptionChecksum ?? null;
    if (stored !== null && isSameChecksum(stored, args.checksum)) return;
    if (stored !== null) throw new EncryptionError('ALREADY_ENCRYPTED');
    if ((await isWorkspaceUsed.first(db, { id }))?.used)
      throw new EncryptionError('WORKSPACE_NOT_EMPTY');
    await db.prisma.workspace.update({
      where: { id },
      data: { encrypted: true, encryptionChecksum: args.checksum, encryptedAt: at },
    });
  });
  forgetWorkspaces(ctx);
  return requireWorkspace(ctx, id);
}
