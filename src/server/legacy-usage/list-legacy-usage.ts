import { requirePermission } from '../../auth/guards.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import type { Connection, PageRequest, SortColumn } from '../../core/lists/pagination.ts';
import { readPage } from '../../core/lists/read-list.ts';
import { decoderOf, type TypedParams } from '../../core/sql/statement.ts';
import type { Cell } from '../../core/wire/wire.ts';
import { USAGE_COLUMNS, usageRow, usageSource } from './legacy-usage.sql.ts';
import { toUsage, usageSince, type LegacyUsage } from './legacy-usage.ts';

const decode = decoderOf(usageRow);
const read = (cells: readonly Cell[]): LegacyUsage => toUsage(decode(cells));

/** The path itself comes before its parameters. */
const order: readonly SortColumn[] = (['path', 'method', 'client', 'parameter'] as const).map(
  (name) => ({ name, sql: `u.${name}`, kind: 'text', descending: false }),
);

/** One page of REST usage in the administrator's domain. GraphQL `legacyUsage`. Throws ForbiddenError, E900, E901. */
export async function listLegacyUsage(
  ctx: SignedInContext,
  args: { days: number; page: PageRequest },
): Promise<Connection<LegacyUsage>> {
  const { domainId } = requirePermission(ctx, 'DOMAIN_ADMIN');
  const since = usageSince({ days: args.days, now: ctx.clock() });
  const source = (params: TypedParams): string =>
    `${usageSource({ since, domainId }, params)} WHERE true`;
  const position = ({ path, method, client, parameter }: LegacyUsage): string[] => [
    path,
    method,
    client,
    parameter ?? '',
  ];
  return readPage(ctx, { columns: USAGE_COLUMNS, source, order, read, position }, args.page);
}
