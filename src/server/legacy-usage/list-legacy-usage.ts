import { requirePermission } from '../../auth/guards.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import type { Connection, PageRequest } from '../../core/lists/pagination.ts';
import { readPage } from '../../core/lists/read-list.ts';
import { usages } from './legacy-usage.sql.ts';
import { namesOf, toUsage, usageSince, type LegacyUsage } from './legacy-usage.ts';

/** One page of REST usage in the administrator's domain. GraphQL `legacyUsage`. Throws ForbiddenError, E900, E901. */
export async function listLegacyUsage(
  ctx: SignedInContext,
  args: { days: number; page: PageRequest },
): Promise<Connection<LegacyUsage>> {
  const { domainId } = requirePermission(ctx, 'DOMAIN_ADMIN');
  const since = usageSince({ days: args.days, now: ctx.clock() });
  return readPage(ctx, usages.query({ since, domainId }, toUsage, namesOf), args.page);
}
