import type { SignedInContext } from '../../../core/context/context.ts';
import type { Database } from '../../../core/database/db.ts';
import { imagesLeft } from '../../content/content.sql.ts';
import { EncryptionError } from '../../envelope/dataset-errors.ts';
import { changeKeys } from '../change-keys.ts';
import type { Workspace } from '../workspace.ts';

/**
 * Ends the move to another key: the old one is valid no more. Refused while an image is encrypted under it. Deleted ones,
 * which could still come back, are given up with `forgetDeleted`. Without a move it changes nothing. Owners only. GraphQL
 * `finishKeyRotation`. Throws EncryptionError, NotFoundError, ForbiddenError.
 */
export function finishKeyRotation(
  ctx: SignedInContext,
  args: { workspaceId: string; forgetDeleted: boolean },
): Promise<Workspace> {
  const { workspaceId: id } = args;
  return changeKeys(ctx, id, async (db, { oldKeyNumber }) => {
    if (oldKeyNumber === null) return;
    if (args.forgetDeleted) await forgetDeleted(db, id, oldKeyNumber);
    await dropOldKey(db, id);
  });
}

/** Drops the old key of a locked workspace. Throws EncryptionError while images need it. */
export async function dropOldKey(db: Database, id: string): Promise<void> {
  const left = await imagesLeft.first(db, { ids: [id] });
  if (left && left.live > 0)
    throw new EncryptionError(
      'KEY_STILL_USED',
      `${left.live} images are still encrypted under the old key.`,
    );
  if (left && left.deleted > 0)
    throw new EncryptionError(
      'KEY_STILL_USED',
      `${left.deleted} deleted images are still encrypted under the old key: bring them back first, or give them up with forgetDeleted.`,
    );
  await db.prisma.workspace.update({
    where: { id },
    data: { oldChecksum: null, oldKeyNumber: null },
  });
}

/** Removes the deleted images under a key for good; one that comes back meanwhile stays. */
async function forgetDeleted(
  { prisma }: Database,
  workspaceId: string,
  keyNumber: number,
): Promise<void> {
  const ofKey = { keyNumber, mimeType: null };
  await prisma.image.deleteMany({
    where: { ...ofKey, dataset: { workspaceId }, deletedAt: { not: null } },
  });
  await prisma.image.deleteMany({
    where: { ...ofKey, dataset: { workspaceId, deletedAt: { not: null } } },
  });
}
