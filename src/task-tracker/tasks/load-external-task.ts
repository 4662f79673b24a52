import DataLoader from 'dataloader';
import { requireViewer } from '../../auth/guards.ts';
import { perRequest, type Context } from '../../core/context/context.ts';
import { Params } from '../../core/lists/pagination.ts';
import { isUuid } from '../../core/uuid.ts';
import { TASK_COLUMNS, taskFromCells, type ExternalTask } from './external-task.ts';
import { visibleTaskSql } from './visible-task-sql.ts';

const byId = perRequest(
  (ctx) =>
    new DataLoader<string, ExternalTask | null>((ids) => readTasks(ctx, ids), {
      maxBatchSize: 500,
    }),
);
const byFeed = perRequest(
  (ctx) =>
    new DataLoader<number, ExternalTask | null>((keys) => readTasksOfFeeds(ctx, keys), {
      maxBatchSize: 500,
    }),
);

/** The task with this uuid if the caller may see it, else null. GraphQL `node`; REST GET /api/task-tracker-external/tasks/{id}. Throws E202. */
export async function loadExternalTask(ctx: Context, id: string): Promise<ExternalTask | null> {
  return isUuid(id) ? byId(ctx).load(id) : null;
}

/** The task behind a feed that the viewer sees; null for other feeds. GraphQL `Feed.externalTask`. */
export function loadTaskOfFeed(ctx: Context, feedKey: number): Promise<ExternalTask | null> {
  return byFeed(ctx).load(feedKey);
}

/** Forgets tasks that were read before a write of this request. */
export function forgetTasks(ctx: Context): void {
  byId(ctx).clearAll();
  byFeed(ctx).clearAll();
}

async function readTasks(ctx: Context, ids: readonly string[]): Promise<(ExternalTask | null)[]> {
  const params = new Params();
  const sql = `SELECT ${TASK_COLUMNS} FROM external_task t JOIN feed f ON f.feed_key = t.feed_key WHERE t.id = ANY (${params.add([...ids])}::uuid[]) AND ${visibleTaskSql(ctx, params)}`;
  const found = new Map(
    (await ctx.db.rows(sql, params.values)).map(taskFromCells).map((task) => [task.id, task]),
  );
  return ids.map((id) => found.get(id) ?? null);
}

async function readTasksOfFeeds(
  ctx: Context,
  keys: readonly number[],
): Promise<(ExternalTask | null)[]> {
  const { domainId } = requireViewer(ctx);
  const sql = `SELECT ${TASK_COLUMNS} FROM external_task t JOIN feed f ON f.feed_key = t.feed_key WHERE t.feed_key = ANY ($1::bigint[]) AND f.domain_id = $2`;
  const found = new Map(
    (await ctx.db.rows(sql, [[...keys], domainId]))
      .map(taskFromCells)
      .map((task) => [task.feedKey, task]),
  );
  return keys.map((key) => found.get(key) ?? null);
}
