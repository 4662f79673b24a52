import { requirePermission } from '../../auth/guards.ts';
import type { Connection } from '../../core/lists/pagination.ts';
import type { Context } from '../../core/context/context.ts';
import type { PageRequest } from '../../core/lists/pagination.ts';
import { cursorOf, readPage, type ListQuery } from '../../core/lists/read-list.ts';
import { TASK_COLUMNS, taskFromCells, type ExternalTask } from './external-task.ts';
import { supervisedSql } from './visible-task-sql.ts';

/** Oldest first. */
const list: Omit<ListQuery<ExternalTask>, 'source'> = {
  columns: TASK_COLUMNS,
  order: [{ name: 'feedKey', sql: 'f.feed_key', kind: 'key', descending: false }],
  read: taskFromCells,
  position: (task) => [String(task.feedKey)],
};

/** "The feed `f` waits for a supervisor": open, from outside, and addressed to nobody. */
const WAITING = `f.feed_type = 'EXTERNAL' AND f.status IN ('N', 'R', 'P', 'O') AND NOT EXISTS (SELECT FROM feed_assignment a WHERE a.feed_key = f.feed_key)`;

/** One page of the tasks that wait for a supervisor of the viewer's unit, or of no unit; the oldest first. GraphQL `viewer.unassignedExternalTasks`. Throws ForbiddenError, E901. */
export async function listUnassignedTasks(
  ctx: Context,
  page: PageRequest,
): Promise<Connection<ExternalTask>> {
  const viewer = requirePermission(ctx, 'SUPERVISOR');
  return readPage(
    ctx,
    {
      ...list,
      source: (params) =>
        `FROM feed f JOIN external_task t ON t.feed_key = f.feed_key WHERE ${supervisedSql(viewer, params)} AND ${WAITING}`,
    },
    page,
  );
}

/** The place of a task in that list. */
export function unassignedTaskCursor(task: ExternalTask): string {
  return cursorOf(list, task);
}
