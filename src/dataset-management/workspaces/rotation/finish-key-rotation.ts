import type { SignedInContext } from '../../../core/context/context.ts';
import type { Database } from '../../../core/database/db.ts';
import { imagesLeft } from '../../content/content.sql.ts';
import { EncryptionError } from '../../envelope/dataset-errors.ts';
import { changeKeys } from '../change-keys.ts';
import type { Workspace } from '../workspace.ts';

/** Images that are given up at once, each with up to 2,000 annotations. */
const IMAGES = 100;

/**
 * Ends the move to another key: the old one is valid no more. Refused while an image is encrypted under it. Deleted ones,
 * which could still come back, are given up with `forgetDeleted`: more than 100 in several transactions, and the same
 * call goes on after a failure. Without a move it changes nothing. Owners only. GraphQL `finishKeyRotation`. Throws
 * EncryptionError, NotFoundError, ForbiddenError.
 */
export async function finishKeyRotation(
  ctx: SignedInContext,
  args: { workspaceId: string; forgetDeleted: boolean },
): Promise<Workspace> {
  const { workspaceId: id } = args;
  for (;;) {
    let isOver = true;
    const workspace = await changeKeys(ctx, id, async (db, { oldKeyNumber }) => {
      if (oldKeyNumber === null) return;
      isOver = !args.forgetDeleted || (await forgetDeleted(db, id, oldKeyNumber)) < IMAGES;
      if (isOver) await dropOldKey(db, id);
    });
    if (isOver) return workspace;
  }
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

/** Removes some deleted images under a key for good; returns how many, fewer than IMAGES if no more are left. */
async function forgetDeleted(
  { prisma }: Database,
  workspaceId: string,
  keyNumber: number,
): Promise<number> {
  const forget = (deleted: object) =>
    prisma.image.deleteMany({
      where: { keyNumber, mimeType: null, ...deleted },
      limit: IMAGES,
    });
  const { count } = await forget({ dataset: { workspaceId }, deletedAt: { not: null } });
  if (count === IMAGES) return count;
  return (await forget({ dataset: { workspaceId, deletedAt: { not: null } } })).count;
}
