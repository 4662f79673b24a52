import { randomUUID } from 'node:crypto';
import { tellObject } from '../../core/context/act.ts';
import type { Context } from '../../core/context/context.ts';
import type { InTransaction } from '../../core/context/in-transaction.ts';
import { fold } from '../../core/text.ts';
import { withIdempotency, type IdempotentAnswer } from '../../core/context/with-idempotency.ts';
import { createFeed } from '../../task-execution/feeds/records/feed-writes.sql.ts';
import { assignFeed } from '../../task-execution/feeds/records/feed-part-writes.sql.ts';
import { requireAuthor, type Author } from '../require-author.ts';
import { addTask } from '../task-tracker.sql.ts';
import { externalTask, type ExternalTask } from './external-task.ts';
import { findAssignees, type Assignees } from './find-assignees.ts';
import { parseTask, type NewTask } from './parse-task.ts';

export interface CreateExternalTaskArgs {
  /** The documented fields, unchecked. */
  input: unknown;
  idempotencyKey?: string | null | undefined;
  /** Refuse unknown fields instead of ignoring them. */
  strict?: boolean;
}

/**
 * Creates a task, the feed through which people work on it, and its assignments, all in one transaction (D-77). A task
 * without an assignee that the domain knows waits for a supervisor. GraphQL `createExternalTask`; REST POST
 * /api/task-tracker-external/tasks. Throws E202, ForbiddenError, ValidationError, IdempotencyError.
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
  return withIdempotency(ctx, write, async ({ db, atEnd }) => {
    const task = parseTask(args.input, { now, strict: args.strict ?? false });
    const assignees = await findAssignees(db, author.domainId, task);
    const created = await insertTask({ db, atEnd }, author, task, {
      assignees,
      now: new Date(now),
    });
    tellObject(ctx, 'ExternalTask', created.id);
    tellObject(ctx, 'Feed', created.feedKey);
    return created;
  });
}

const priorityNumbers = { HIGH: 1, MEDIUM: 2, LOW: 3 } as const;

async function insertTask(
  { db, atEnd }: Pick<InTransaction<Pick<Context, 'db'>>, 'db' | 'atEnd'>,
  author: Author,
  task: NewTask,
  { assignees, now }: { assignees: Assignees; now: Date },
): Promise<ExternalTask> {
  const id = randomUUID();
  const { name, description, priority, createdBy, expiryTime } = task;
  const end = expiryTime === null ? null : new Date(expiryTime);
  const feed = await createFeed.first(db, {
    feed: {
      domain_id: author.domainId,
      kind: 'TASK',
      priority: priorityNumbers[priority],
      feed_type: 'EXTERNAL',
      feed_type_id: 'EXTERNAL',
      feed_type_id_desc: 'External task',
      title: name,
      title_fold: fold(name),
      description,
      start_at: now,
      end_at: end,
      launch_at: now,
      unit_id: assignees.unitId,
      dept_id: assignees.deptId,
      feed_owner: createdBy,
      assign_to_desc: assignees.description,
    },
    now,
  });
  if (!feed) throw new Error('no feed was created');
  const { feedKey } = feed;
  atEnd(async () => {
    await Promise.all([
      addTask.rows(db, { ...task, id, feedKey, customerId: author.customerId, createdAt: now }),
      ...(assignees.count > 0 ? [assignFeed.rows(db, { feedKey, ...assignees })] : []),
    ]);
  });
  return externalTask.parse({
    ...task,
    id,
    status: 'TODO',
    expiryTime: end?.toISOString() ?? null,
    createdAt: now.toISOString(),
    feedKey,
  });
}
