import { requirePermission } from '../../auth/guards.ts';
import type { Context } from '../../core/context/context.ts';
import type { Connection, PageRequest, Params, SortColumn } from '../../core/lists/pagination.ts';
import { readPage } from '../../core/lists/read-list.ts';
import { USAGE_COLUMNS, usageFromCells, usageSql, type LegacyUsage } from './legacy-usage.ts';

/** The path itself comes before its parameters. */
const order: readonly SortColumn[] = (['path', 'method', 'client', 'parameter'] as const).map(
  (name) => ({ name, sql: `u.${name}`, kind: 'text', descending: false }),
);

/** One page of what is used of the REST surface in the administrator's domain. GraphQL `legacyUsage`. Throws ForbiddenError, E900, E901. */
export async function listLegacyUsage(
  ctx: Context,
  args: { days: number; page: PageRequest },
): Promise<Connection<LegacyUsage>> {
  const { domainId } = requirePermission(ctx, 'DOMAIN_ADMIN');
  const source = (params: Params): string =>
    `FROM ${usageSql({ days: args.days, domainId, now: ctx.clock() }, params)} WHERE true`;
  const position = ({ path, method, client, parameter }: LegacyUsage): string[] => [
    path,
    method,
    client,
    parameter ?? '',
  ];
  return readPage(
    ctx,
    { columns: USAGE_COLUMNS, source, order, read: usageFromCells, position },
    args.page,
  );
}
