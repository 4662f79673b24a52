import type DataLoader from 'dataloader';
import type { SignedInContext } from '../../core/context/context.ts';
import type { Viewer } from '../../core/context/viewer.ts';
import { NotFoundError } from '../../core/errors.ts';
import type { ListQuery } from '../../core/lists/list.sql.ts';
import { loaderById } from '../../core/lists/load-by-id.ts';
import { readList } from '../../core/lists/read-list.ts';
import { isUuid } from '../../core/uuid.ts';
import { requireRight, type WorkspaceRight, type WorkspaceRole } from './workspace.ts';

/** Loads rows of one kind by their ids, from the list of those that the viewer sees. */
export function rowsById<Row extends { id: string; role: WorkspaceRole }>(
  entity: string,
  list: (viewer: Viewer, which: { ids: readonly string[] }) => ListQuery<Row>,
  options?: DataLoader.Options<string, Row | null>,
) {
  const loader = loaderById(
    (ctx: SignedInContext, ids: readonly string[]) =>
      readList(ctx, list(ctx.viewer, { ids: ids.filter(isUuid) })),
    options,
  );
  const load = (ctx: SignedInContext, id: string): Promise<Row | null> => loader(ctx).load(id);
  return {
    /** The row if the viewer is a member of its workspace, else null. */
    load,
    /** The same, or NotFoundError; ForbiddenError if the role lacks the given right. */
    require: async (ctx: SignedInContext, id: string, right?: WorkspaceRight): Promise<Row> => {
      const row = await load(ctx, id);
      if (!row) throw new NotFoundError(entity);
      if (right) requireRight(row, right);
      return row;
    },
    /** Forgets what this request read before a write. */
    forget: (ctx: SignedInContext): void => void loader(ctx).clearAll(),
  };
}
