import { tellAct, tellObject } from '../../core/context/act.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import type { Database } from '../../core/database/db.ts';
import { NotFoundError } from '../../core/errors.ts';
import type { RowOf } from '../../core/sql/types.ts';
import { lockWorkspace } from '../content/content.sql.ts';
import { forgetWorkspaces, requireWorkspace } from './load-workspace.ts';
import type { Workspace } from './workspace.ts';

/**
 * Runs a change of the keys of a workspace in a transaction. Uploads and restored images lock the row too, so that none
 * slips in. Returns the workspace as it is then. Owners only. Throws NotFoundError, ForbiddenError.
 */
export async function changeKeys(
  ctx: SignedInContext,
  workspaceId: string,
  change: (db: Database, stored: RowOf<typeof lockWorkspace.row>) => Promise<void>,
): Promise<Workspace> {
  const { id } = await requireWorkspace(ctx, workspaceId, 'own');
  tellObject(ctx, 'Workspace', id);
  tellAct(ctx, { target: id });
  await inTransaction(ctx, async ({ db }) => {
    const stored = await lockWorkspace.first(db, { id });
    if (!stored) throw new NotFoundError('Workspace');
    await change(db, stored);
  });
  forgetWorkspaces(ctx);
  return requireWorkspace(ctx, id);
}
