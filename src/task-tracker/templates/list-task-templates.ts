import DataLoader from 'dataloader';
import type { Connection } from '../../core/lists/pagination.ts';
import { perRequest, type Context } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import { Params, type PageRequest, type SortColumn } from '../../core/lists/pagination.ts';
import { readPage } from '../../core/lists/read-list.ts';
import { fold } from '../../core/text.ts';
import { isUuid } from '../../core/uuid.ts';
import { TEMPLATE_COLUMNS, templateFromCells, type TaskTemplate } from './task-template.ts';

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
      columns: TEMPLATE_COLUMNS,
      source: (params) => `FROM task_template p WHERE ${visibleSql(ctx, params)}`,
      order,
      read: templateFromCells,
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
  const params = new Params();
  const rows = await ctx.db.rows(
    `SELECT ${TEMPLATE_COLUMNS} FROM task_template p WHERE p.id = ANY (${params.add([...ids])}::uuid[]) AND ${visibleSql(ctx, params)}`,
    params.values,
  );
  const found = new Map(rows.map(templateFromCells).map((template) => [template.id, template]));
  return ids.map((id) => found.get(id) ?? null);
}

function visibleSql({ customer, viewer }: Context, params: Params): string {
  if (customer)
    return `p.domain_id = ${params.add(customer.domainId)}::int AND p.customer_id = ${params.add(customer.customerId)}`;
  if (!viewer) throw new AppError('E202');
  return `p.domain_id = ${params.add(viewer.domainId)}::int`;
}
