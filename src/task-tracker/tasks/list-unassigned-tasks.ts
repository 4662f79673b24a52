import { requirePermission } from '../../auth/guards.ts';
import type { Connection } from '../../core/lists/pagination.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import type { PageRequest } from '../../core/lists/pagination.ts';
import { cursorOf, readPage, type ListQuery } from '../../core/lists/read-list.ts';
import { decoderOf } from '../../core/sql/statement.ts';
import { TASK_COLUMNS, taskRow, unassignedTasks } from '../task-tracker.sql.ts';
import { toTask, type ExternalTask } from './external-task.ts';

const decode = decoderOf(taskRow);

/** Oldest first. */
const list: Omit<ListQuery<ExternalTask>, 'source'> = {
  columns: TASK_COLUMNS,
  order: [{ name: 'feedKey', sql: 'f.feed_key', kind: 'key', descending: false }],
  read: (cells) => toTask(decode(cells)),
  position: (task) => [String(task.feedKey)],
};

/**
 * One page of the tasks that wait for a supervisor of the viewer's unit, or of no unit; the oldest first. GraphQL
 * `viewer.unassignedExternalTasks`. Throws ForbiddenError, E901.
 */
export async function listUnassignedTasks(
  ctx: SignedInContext,
  page: PageRequest,
): Promise<Connection<ExternalTask>> {
  const viewer = requirePermission(ctx, 'SUPERVISOR');
  return readPage(ctx, { ...list, source: (params) => unassignedTasks(viewer, params) }, page);
}

/** The cursor of a task in that list. */
export function unassignedTaskCursor(task: ExternalTask): string {
  return cursorOf(list, task);
}
