import type { SignedInContext } from '../../../core/context/context.ts';
import { imagesLeft } from '../../content/content.sql.ts';
import { changeKeys } from '../change-keys.ts';
import type { Workspace } from '../workspace.ts';
import { dropOldKey } from './finish-key-rotation.ts';

/**
 * Turns the move to another key round: new images are encrypted under the previous key again. If the new one encrypts any
 * image by now, both stay valid until these are moved back and finishKeyRotation is called, else it is over at once.
 * Repeating it changes nothing. Owners only. GraphQL `cancelKeyRotation`. Throws NotFoundError, ForbiddenError.
 */
export function cancelKeyRotation(
  ctx: SignedInContext,
  { workspaceId: id }: { workspaceId: string },
): Promise<Workspace> {
  return changeKeys(ctx, id, async (db, stored) => {
    if (stored.oldKeyNumber === null || stored.oldChecksum === null) return;
    // The higher number is the newer key.
    if (stored.oldKeyNumber < stored.keyNumber)
      await db.prisma.workspace.update({
        where: { id },
        data: {
          encryptionChecksum: stored.oldChecksum,
          keyNumber: stored.oldKeyNumber,
          oldChecksum: stored.encryptionChecksum,
          oldKeyNumber: stored.keyNumber,
        },
      });
    if (!(await imagesLeft.first(db, { ids: [id] }))) await dropOldKey(db, id);
  });
}
