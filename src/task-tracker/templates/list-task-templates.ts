import DataLoader from 'dataloader';
import type { Connection } from '../../core/lists/pagination.ts';
import { perRequest, type Context } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import type { PageRequest, SortColumn } from '../../core/lists/pagination.ts';
import { readPage } from '../../core/lists/read-list.ts';
import { decoderOf } from '../../core/sql/statement.ts';
import { text, uuid } from '../../core/sql/types.ts';
import { fold } from '../../core/text.ts';
import { isUuid } from '../../core/uuid.ts';
import { templatesOf } from '../task-tracker.sql.ts';
import type { TaskTemplate } from './task-template.ts';

const order: readonly SortColumn[] = [
  { name: 'title', sql: 'p.title_fold', kind: 'text', descending: false },
  { name: 'id', sql: 'p.id', kind: 'uuid', descending: false },
];

/** One page of templates by title: a customer's own, a user's domain's. GraphQL `taskTemplates`. Throws E202, E901. */
export async function listTaskTemplates(
  ctx: Context,
  page: PageRequest,
): Promise<Connection<TaskTemplate>> {
  return readPage(
    ctx,
    {
      columns: 'p.id, p.title',
      source: (params) => templatesOf(ownerOf(ctx), params),
      order,
      read: decoderOf({ id: uuid, title: text }),
      position: ({ id, title }) => [fold(title), id],
    },
    page,
  );
}

const loader = perRequest(
  (ctx) =>
    new DataLoader<string, TaskTemplate | null>((ids) => readTemplates(ctx, ids), {
      maxBatchSize: 500,
    }),
);

/** The template with this uuid if the caller may see it, else null. GraphQL `node`. Throws E202. */
export async function loadTaskTemplate(ctx: Context, id: string): Promise<TaskTemplate | null> {
  return isUuid(id) ? loader(ctx).load(id) : null;
}

async function readTemplates(
  ctx: Context,
  ids: readonly string[],
): Promise<(TaskTemplate | null)[]> {
  const rows = await ctx.reads.prisma.taskTemplate.findMany({
    where: { id: { in: [...ids] }, ...ownerOf(ctx) },
    select: { id: true, title: true },
  });
  const found = new Map(rows.map((template) => [template.id, template]));
  return ids.map((id) => found.get(id) ?? null);
}

/** Whose templates the caller sees. */
function ownerOf({ customer, viewer }: Context): { domainId: number; customerId?: string } {
  if (customer) return { domainId: customer.domainId, customerId: customer.customerId };
  if (!viewer) throw new AppError('E202');
  return { domainId: viewer.domainId };
}
