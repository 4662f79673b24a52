import { tellAct, tellObject } from '../../../core/context/act.ts';
import type { SignedInContext } from '../../../core/context/context.ts';
import { inTransaction } from '../../../core/context/in-transaction.ts';
import { imagesLeft, lockWorkspace } from '../../content/content.sql.ts';
import { forgetWorkspaces, requireWorkspace } from '../load-workspace.ts';
import type { Workspace } from '../workspace.ts';
import { dropOldKey } from './finish-key-rotation.ts';

/**
 * Turns the move to another key round: new images are encrypted under the previous key again. If the new one encrypts any
 * image by now, both stay valid until these are moved back and finishKeyRotation is called, else it is over at once.
 * Repeating it changes nothing. Owners only. GraphQL `cancelKeyRotation`. Throws NotFoundError, ForbiddenError.
 */
export async function cancelKeyRotation(
  ctx: SignedInContext,
  args: { workspaceId: string },
): Promise<Workspace> {
  const { id } = await requireWorkspace(ctx, args.workspaceId, 'own');
  tellObject(ctx, 'Workspace', id);
  tellAct(ctx, { target: id });
  await inTransaction(ctx, async ({ db }) => {
    const locked = await lockWorkspace.first(db, { id });
    if (!locked || locked.oldKeyNumber === null || locked.oldChecksum === null) return;
    // The higher number is the newer key.
    if (locked.oldKeyNumber < locked.keyNumber)
      await db.prisma.workspace.update({
        where: { id },
        data: {
          encryptionChecksum: locked.oldChecksum,
          keyNumber: locked.oldKeyNumber,
          oldChecksum: locked.encryptionChecksum,
          oldKeyNumber: locked.keyNumber,
        },
      });
    if (!(await imagesLeft.first(db, { ids: [id] }))) await dropOldKey(db, id);
  });
  forgetWorkspaces(ctx);
  return requireWorkspace(ctx, id);
}
