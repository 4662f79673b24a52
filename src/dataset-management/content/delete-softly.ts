import type { SignedInContext } from '../../core/context/context.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import type { Database } from '../../core/database/db.ts';
import { NotFoundError } from '../../core/errors.ts';
import { tellAct, tellObject } from '../../core/context/act.ts';
import { makeUndoToken, type UndoKind } from './undo-token.ts';

/** GraphQL types of what can be deleted. */
export const typenames = {
  workspace: 'Workspace',
  dataset: 'Dataset',
  image: 'DatasetImage',
  project: 'Project',
  version: 'DatasetVersion',
} as const;
/** What errors call it. */
const names = { ...typenames, image: 'Image' } as const;

/**
 * Marks a row as deleted; returns the token that undoes it (D-66). The caller has checked the permission; `lock` goes
 * before, in the same transaction. Throws NotFoundError when there is no such row any more.
 */
export async function deleteSoftly(
  ctx: SignedInContext,
  kind: UndoKind,
  id: string,
  lock?: (db: Database) => Promise<void>,
): Promise<string> {
  tellDeletion(ctx, kind, id);
  const at = new Date(ctx.clock());
  await inTransaction(ctx, async ({ db }) => {
    await lock?.(db);
    const { workspace, dataset, image, project, datasetVersion } = db.prisma;
    const live = { id, deletedAt: null };
    const data = { deletedAt: at };
    const { count } = await {
      workspace: () => workspace.updateMany({ where: live, data }),
      dataset: () => dataset.updateMany({ where: live, data }),
      image: () => image.updateMany({ where: live, data }),
      project: () => project.updateMany({ where: live, data }),
      version: () => datasetVersion.updateMany({ where: live, data }),
    }[kind]();
    if (count === 0) throw new NotFoundError(names[kind]);
  });
  return makeUndoToken(kind, id, at);
}

/** Says in the audit log what is deleted or restored. */
export function tellDeletion(ctx: SignedInContext, kind: UndoKind, id: string): void {
  tellObject(ctx, typenames[kind], id);
  tellAct(ctx, { target: id });
}
