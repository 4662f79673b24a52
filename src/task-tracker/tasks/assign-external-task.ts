import { requirePermission, signedIn } from '../../auth/guards.ts';
import type { Context } from '../../core/context/context.ts';
import { isUuid } from '../../core/uuid.ts';
import {
  ConflictError,
  NotFoundError,
  ValidationError,
  type FieldProblem,
} from '../../core/errors.ts';
import { Params } from '../../core/lists/pagination.ts';
import { isStorable } from '../../core/text.ts';
import { forgetFeeds } from '../../task-execution/feeds/load-feeds.ts';
import type { ExternalTask } from './external-task.ts';
import { findAssignees, insertAssignments } from './find-assignees.ts';
import { forgetTasks, loadExternalTask } from './load-external-task.ts';
import { supervisedSql } from './visible-task-sql.ts';

export interface AssignExternalTaskArgs {
  /** Uuid. */
  id: string | undefined;
  login?: string | null | undefined;
  group?: string | null | undefined;
}

interface AssignedFeed {
  feed_key: string;
  domain_id: number;
  status: string;
  version: number;
}

interface Assignment {
  user_id: number | null;
  dept_id: number | null;
}

/**
 * Assigns a task that nobody has to a user, a group, or both; assigning it to the same again changes nothing. GraphQL `assignExternalTask`. Throws
 * ForbiddenError without SUPERVISOR, NotFoundError, ValidationError, and ConflictError when somebody else has it already.
 */
export async function assignExternalTask(
  ctx: Context,
  args: AssignExternalTaskArgs,
): Promise<ExternalTask> {
  const viewer = requirePermission(ctx, 'SUPERVISOR');
  const names = { assignedTo: usable(args.login), assignedGroup: usable(args.group) };
  if (names.assignedTo === null && names.assignedGroup === null)
    throw new ValidationError([problem('login', 'send a login, a group, or both', 'REQUIRED')]);
  const { id } = args;
  if (id === undefined || !isUuid(id)) throw new NotFoundError('ExternalTask');
  await ctx.db.transaction(async (client) => {
    const params = new Params();
    const { rows } = await client.query<AssignedFeed>(
      `SELECT f.feed_key, f.domain_id, f.status, f.version FROM external_task t JOIN feed f ON f.feed_key = t.feed_key WHERE t.id = ${params.add(id)} AND ${supervisedSql(viewer, params)} FOR UPDATE OF f`,
      params.values,
    );
    const feed = rows[0];
    if (!feed) throw new NotFoundError('ExternalTask');
    const assignees = await findAssignees(client, feed.domain_id, names);
    const unknown = [
      ...(names.assignedTo !== null && assignees.userId === null
        ? [problem('login', 'means nobody in this domain', 'UNKNOWN_USER')]
        : []),
      ...(names.assignedGroup !== null && assignees.deptId === null
        ? [problem('group', 'is no group of this domain', 'UNKNOWN_GROUP')]
        : []),
    ];
    if (unknown.length > 0) throw new ValidationError(unknown);
    // Read after the lock was got: what another supervisor did meanwhile counts.
    const { rows: present } = await client.query<Assignment>(
      'SELECT user_id, dept_id FROM feed_assignment WHERE feed_key = $1',
      [feed.feed_key],
    );
    if (present.length > 0) {
      const others = present.filter((row) =>
        row.user_id !== null
          ? row.user_id !== assignees.userId
          : row.dept_id === null || row.dept_id !== assignees.deptId,
      );
      const wanted = [assignees.userId, assignees.deptId].filter((id) => id !== null).length;
      if (others.length > 0 || present.length !== wanted) throw new ConflictError(feed.version);
      return;
    }
    if (['C', 'F', 'E'].includes(feed.status))
      throw new ValidationError([problem('taskId', 'is closed', 'TASK_CLOSED')]);
    await insertAssignments(client, feed.feed_key, assignees);
    const now = new Date(ctx.clock());
    await client.query(
      `UPDATE feed SET dept_id = coalesce($2, dept_id), assign_to_desc = $3, version = version + 1, last_updated_at = $4, last_action_at = $4, has_history = true WHERE feed_key = $1`,
      [feed.feed_key, assignees.deptId, assignees.description, now],
    );
    await client.query(
      'UPDATE external_task SET assigned_to = $2, assigned_group = $3 WHERE id = $1',
      [id, names.assignedTo, names.assignedGroup],
    );
  });
  forgetFeeds(signedIn(ctx));
  forgetTasks(ctx);
  const task = await loadExternalTask(ctx, id);
  if (!task) throw new NotFoundError('ExternalTask');
  return task;
}

function problem(field: string, message: string, code: string): FieldProblem {
  return { path: ['input', field], message, code };
}

function usable(name: string | null | undefined): string | null {
  return name != null && name.trim() !== '' && isStorable(name) ? name.trim() : null;
}
