import type { SignedInContext } from '../../core/context/context.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import { NotFoundError } from '../../core/errors.ts';
import { writeAuditLog } from '../../core/context/write-audit-log.ts';
import { makeUndoToken, type UndoKind } from './undo-token.ts';

const operations = {
  workspace: 'deleteWorkspace',
  dataset: 'deleteDataset',
  image: 'deleteImage',
} as const;
const names = { workspace: 'Workspace', dataset: 'Dataset', image: 'Image' } as const;

/**
 * Marks a row as deleted, an image only while its dataset is a draft, and records in the audit log who did it; returns
 * the token that undoes it (D-66). The caller has checked the permission. Throws NotFoundError when there is no such
 * row any more.
 */
export async function deleteSoftly(
  ctx: SignedInContext,
  kind: UndoKind,
  id: string,
): Promise<string> {
  const actor = `user:${ctx.viewer.userId}`;
  const at = new Date(ctx.clock());
  await inTransaction(ctx, async ({ db }) => {
    const { workspace, dataset, image } = db.prisma;
    const live = { id, deletedAt: null };
    const data = { deletedAt: at };
    const { count } = await {
      workspace: () => workspace.updateMany({ where: live, data }),
      dataset: () => dataset.updateMany({ where: live, data }),
      image: () => image.updateMany({ where: { ...live, dataset: { status: 'DRAFT' } }, data }),
    }[kind]();
    if (count === 0) throw new NotFoundError(names[kind]);
    await writeAuditLog(db, { actor, action: operations[kind], target: id, at });
  });
  return makeUndoToken(kind, id, at);
}
