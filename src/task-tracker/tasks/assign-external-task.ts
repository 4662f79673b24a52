import { requirePermission } from '../../auth/guards.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import { isUuid } from '../../core/uuid.ts';
import {
  ConflictError,
  NotFoundError,
  ValidationError,
  invalidField,
  type FieldProblem,
} from '../../core/errors.ts';
import { isStorable } from '../../core/text.ts';
import { forgetFeeds } from '../../task-execution/feeds/load-feeds.ts';
import { changeFeeds } from '../../task-execution/feeds/records/feed-writes.sql.ts';
import { assignFeed } from '../../task-execution/feeds/records/feed-part-writes.sql.ts';
import type { ExternalTask } from './external-task.ts';
import { findAssignees } from './find-assignees.ts';
import { forgetTasks, loadExternalTask } from './load-external-task.ts';
import { lockSupervisedTask } from '../task-tracker.sql.ts';

export interface AssignExternalTaskArgs {
  /** Uuid. */
  id: string | undefined;
  login?: string | null | undefined;
  group?: string | null | undefined;
}

/**
 * Assigns an unassigned task to a user, a group, or both; assigning it to the same again changes nothing. GraphQL
 * `assignExternalTask`. Throws ForbiddenError without SUPERVISOR, NotFoundError, ValidationError, and ConflictError
 * when it is already assigned to somebody else.
 */
export async function assignExternalTask(
  ctx: SignedInContext,
  args: AssignExternalTaskArgs,
): Promise<ExternalTask> {
  const viewer = requirePermission(ctx, 'SUPERVISOR');
  const names = { assignedTo: given(args.login), assignedGroup: given(args.group) };
  if (names.assignedTo === null && names.assignedGroup === null)
    throw invalidField('login', 'send a login, a group, or both', 'REQUIRED');
  const { id } = args;
  if (id === undefined || !isUuid(id)) throw new NotFoundError('ExternalTask');
  await inTransaction(ctx, async ({ db }) => {
    const { domainId, unitId } = viewer;
    const feed = await lockSupervisedTask.first(db, { id, domainId, unitId });
    if (!feed) throw new NotFoundError('ExternalTask');
    const { feedKey } = feed;
    const assignees = await findAssignees(db, domainId, {
      assignedTo: storable(names.assignedTo),
      assignedGroup: storable(names.assignedGroup),
    });
    const unknown = [
      ...(names.assignedTo !== null && assignees.userId === null
        ? [problem('login', 'means nobody in this domain', 'UNKNOWN_USER')]
        : []),
      ...(names.assignedGroup !== null && assignees.deptId === null
        ? [problem('group', 'is no group of this domain', 'UNKNOWN_GROUP')]
        : []),
    ];
    if (unknown.length > 0) throw new ValidationError(unknown);
    // Read after taking the lock, to see what another supervisor did meanwhile.
    const present = await db.prisma.feedAssignment.findMany({
      where: { feedKey },
      select: { userId: true, deptId: true },
    });
    if (present.length > 0) {
      const others = present.filter(({ userId, deptId }) =>
        userId !== null
          ? userId !== assignees.userId
          : deptId === null || deptId !== assignees.deptId,
      );
      if (others.length > 0 || present.length !== assignees.count)
        throw new ConflictError(feed.version);
      return;
    }
    if (['C', 'F', 'E'].includes(feed.status))
      throw invalidField('taskId', 'is closed', 'TASK_CLOSED');
    await assignFeed.rows(db, { feedKey, ...assignees });
    const now = new Date(ctx.clock());
    await changeFeeds.rows(db, {
      feedKeys: [feedKey],
      change: {
        ...(assignees.deptId !== null && { dept_id: assignees.deptId }),
        assign_to_desc: assignees.description,
        last_action_at: now,
        has_history: true,
      },
      now,
    });
    await db.prisma.externalTask.update({ where: { id }, data: names, select: { id: true } });
  });
  forgetFeeds(ctx);
  forgetTasks(ctx);
  const task = await loadExternalTask(ctx, id);
  if (!task) throw new NotFoundError('ExternalTask');
  return task;
}

function problem(field: string, message: string, code: string): FieldProblem {
  return { path: ['input', field], message, code };
}

function given(name: string | null | undefined): string | null {
  return name != null && name.trim() !== '' ? name.trim() : null;
}

/** Nobody has a name that no database holds. */
function storable(name: string | null): string | null {
  return name !== null && isStorable(name) ? name : null;
}
