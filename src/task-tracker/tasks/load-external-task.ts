import DataLoader from 'dataloader';
import { signedIn } from '../../auth/guards.ts';
import { perRequest, type Context, type SignedInContext } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import { batched, loaderById } from '../../core/lists/load-by-id.ts';
import { parseUuid } from '../../core/uuid.ts';
import { loadFeed } from '../../task-execution/feeds/load-feeds.ts';
import { tasksById, tasksOfFeeds } from '../task-tracker.sql.ts';
import { toTask, type ExternalTask } from './external-task.ts';

const byId = loaderById(readTasks);
const byFeed = perRequest(
  (ctx: SignedInContext) =>
    new DataLoader<number, ExternalTask | null>((keys) => readTasksOfFeeds(ctx, keys), batched),
);

/**
 * The task with this uuid if the caller may see it, else null. GraphQL `node`; REST GET
 * /api/task-tracker-external/tasks/{id}. Throws E202.
 */
export async function loadExternalTask(ctx: Context, id: string): Promise<ExternalTask | null> {
  const uuid = parseUuid(id);
  return uuid === undefined ? null : byId(ctx).load(uuid);
}

/** The task behind a feed that the viewer sees; null for other feeds. GraphQL `Feed.externalTask`. */
export function loadTaskOfFeed(
  ctx: SignedInContext,
  feedKey: number,
): Promise<ExternalTask | null> {
  return byFeed(ctx).load(feedKey);
}

/** Forgets tasks that were read before a write of this request. */
export function forgetTasks(ctx: SignedInContext): void {
  byId(ctx).clearAll();
  byFeed(ctx).clearAll();
}

/** Visible to the customer who sent it, to whoever sees its feed, and to supervisors of its unit. */
async function readTasks(ctx: Context, ids: readonly string[]): Promise<ExternalTask[]> {
  const { customer, viewer } = ctx;
  if (!customer && !viewer) throw new AppError('E202');
  const rows = await tasksById.rows(ctx.db, { ids });
  const visible = await Promise.all(
    rows.map(async ({ customerId, domainId, unitId, deleted, ...row }) => {
      const sent = customer !== null && customerId === customer.customerId;
      const supervised =
        viewer?.permissions.has('SUPERVISOR') === true &&
        domainId === viewer.domainId &&
        !deleted &&
        (unitId === null || unitId === viewer.unitId);
      const seen = sent || supervised || (viewer && (await loadFeed(signedIn(ctx), row.feedKey)));
      return seen ? [toTask(row)] : [];
    }),
  );
  return visible.flat();
}

async function readTasksOfFeeds(
  { db, viewer: { domainId } }: SignedInContext,
  feedKeys: readonly number[],
): Promise<(ExternalTask | null)[]> {
  const rows = await tasksOfFeeds.rows(db, { feedKeys, domainId });
  const found = new Map(rows.map((row) => [row.feedKey, toTask(row)]));
  return feedKeys.map((key) => found.get(key) ?? null);
}
