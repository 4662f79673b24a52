import { requirePermission } from '../../auth/guards.ts';
import type { Connection, PageRequest } from '../../core/lists/pagination.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import { cursorOf, readPage } from '../../core/lists/read-list.ts';
import { unassignedTasks } from '../task-tracker.sql.ts';
import { toTask, type ExternalTask } from './external-task.ts';

const position = (task: ExternalTask): string[] => [String(task.feedKey)];

/**
 * One page of the tasks that wait for a supervisor of the viewer's unit, or of no unit; the oldest first. GraphQL
 * `viewer.unassignedExternalTasks`, `unassignedExternalTasksChanged`. Throws ForbiddenError, E901.
 */
export async function listUnassignedTasks(
  ctx: SignedInContext,
  page: PageRequest,
  reads: Pick<SignedInContext['reads'], 'rows' | 'read'> = ctx.reads,
): Promise<Connection<ExternalTask>> {
  const viewer = requirePermission(ctx, 'SUPERVISOR');
  return readPage({ reads }, unassignedTasks.query(viewer, toTask, position), page);
}

/** The cursor of a task in that list. */
export function unassignedTaskCursor(task: ExternalTask): string {
  return cursorOf({ order: unassignedTasks.order, position }, task);
}
