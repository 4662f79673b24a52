import type { Connection } from '../../core/lists/pagination.ts';
import type { Context } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import type { PageRequest } from '../../core/lists/pagination.ts';
import { loaderById } from '../../core/lists/load-by-id.ts';
import { readPage } from '../../core/lists/read-list.ts';
import { fold } from '../../core/text.ts';
import { isUuid } from '../../core/uuid.ts';
import { templates } from '../task-tracker.sql.ts';
import type { TaskTemplate } from './task-template.ts';

/** One page of templates by title: a customer's own, a user's domain's. GraphQL `taskTemplates`. Throws E202, E901. */
export async function listTaskTemplates(
  ctx: Context,
  page: PageRequest,
): Promise<Connection<TaskTemplate>> {
  const query = templates.query(
    ownerOf(ctx),
    (row): TaskTemplate => row,
    ({ id, title }) => [fold(title), id],
  );
  return readPage(ctx, query, page);
}

const loader = loaderById((ctx: Context, ids: readonly string[]) =>
  ctx.reads.prisma.taskTemplate.findMany({
    where: { id: { in: [...ids] }, ...ownerOf(ctx) },
    select: { id: true, title: true },
  }),
);

/** The template with this uuid if the caller may see it, else null. GraphQL `node`. Throws E202. */
export async function loadTaskTemplate(ctx: Context, id: string): Promise<TaskTemplate | null> {
  return isUuid(id) ? loader(ctx).load(id) : null;
}

/** Whose templates the caller sees. */
function ownerOf({ customer, viewer }: Context): { domainId: number; customerId?: string } {
  if (customer) return { domainId: customer.domainId, customerId: customer.customerId };
  if (!viewer) throw new AppError('E202');
  return { domainId: viewer.domainId };
}
