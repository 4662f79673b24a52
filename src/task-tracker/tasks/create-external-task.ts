import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import type { Context } from '../../core/context/context.ts';
import { fold } from '../../core/text.ts';
import { withIdempotency, type IdempotentAnswer } from '../../core/context/with-idempotency.ts';
import { requireAuthor, type Author } from '../require-author.ts';
import { externalTask, type ExternalTask } from './external-task.ts';
import { findAssignees, insertAssignments } from './find-assignees.ts';
import { parseTask, type NewTask } from './parse-task.ts';

export interface CreateExternalTaskArgs {
  /** The documented fields, unchecked. */
  input: unknown;
  idempotencyKey?: string | null | undefined;
  /** Refuse unknown fields instead of ignoring them. */
  strict?: boolean;
}

/**
 * Creates a task, the feed through which people work on it, and its assignments, all in one transaction (D-77). A task without an assignee that the
 * domain knows waits for a supervisor. GraphQL `createExternalTask`; REST POST /api/task-tracker-external/tasks. Throws E202, ForbiddenError,
 * ValidationError, IdempotencyError.
 */
export async function createExternalTask(
  ctx: Context,
  args: CreateExternalTaskArgs,
): Promise<IdempotentAnswer<ExternalTask>> {
  const author = requireAuthor(ctx);
  const write = {
    scope: author.scope,
    operation: 'createExternalTask',
    key: args.idempotencyKey,
    request: args.input,
    answer: externalTask,
  };
  const now = ctx.clock();
  return withIdempotency(ctx, write, (client) =>
    insertTask(
      client,
      author,
      parseTask(args.input, { now, strict: args.strict ?? false }),
      new Date(now),
    ),
  );
}

const priorityNumbers = { HIGH: 1, MEDIUM: 2, LOW: 3 } as const;

async function insertTask(
  client: PoolClient,
  author: Author,
  task: NewTask,
  now: Date,
): Promise<ExternalTask> {
  const id = randomUUID();
  const end = task.expiryTime === null ? null : new Date(task.expiryTime);
  const assignees = await findAssignees(client, author.domainId, task);
  const { rows } = await client.query<{ feed_key: string }>(
    `INSERT INTO feed (domain_id, kind, status, priority, feed_type, feed_type_id, feed_type_id_desc, title, title_fold, description, start_at, end_at, launch_at,
       unit_id, dept_id, feed_owner, assign_to_desc, created_at, last_updated_at)
     VALUES ($1, 'TASK', 'N', $2, 'EXTERNAL', 'EXTERNAL', 'External task', $3, $4, $5, $6, $7, $6, (SELECT id FROM unit WHERE domain_id = $1 AND name_fold = $8), $9, $10, $11, $6, $6)
     RETURNING feed_key`,
    [
      author.domainId,
      priorityNumbers[task.priority],
      task.name,
      fold(task.name),
      task.description,
      now,
      end,
      task.storeName === null ? null : fold(task.storeName.trim()),
      assignees.deptId,
      task.createdBy,
      assignees.description,
    ],
  );
  const feedKey = rows[0]?.feed_key ?? '';
  await client.query(
    `INSERT INTO external_task (id, feed_key, customer_id, name, description, priority, assigned_to, assigned_group, created_by, executed_by, store_name, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      id,
      feedKey,
      author.customerId,
      task.name,
      task.description,
      task.priority,
      task.assignedTo,
      task.assignedGroup,
      task.createdBy,
      task.executedBy,
      task.storeName,
      now,
    ],
  );
  await insertAssignments(client, feedKey, assignees);
  const expiryTime = end?.toISOString() ?? null;
  return externalTask.parse({
    ...task,
    id,
    status: 'TODO',
    expiryTime,
    createdAt: now.toISOString(),
    feedKey: Number(feedKey),
  });
}
