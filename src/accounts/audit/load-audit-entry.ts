import type { SignedInContext } from '../../core/context/context.ts';
import { loaderById } from '../../core/lists/load-by-id.ts';
import { auditById } from './audit.sql.ts';
import type { AuditLogEntry } from './audit-entry.ts';

const loader = loaderById(({ db, viewer: { domainId } }: SignedInContext, ids: readonly number[]) =>
  auditById.rows(db, { ids, domainId }),
);

/** An entry of the administrator's domain. GraphQL `node`. Null for any other id and any other caller. */
export async function loadAuditEntry(
  ctx: SignedInContext,
  id: string,
): Promise<AuditLogEntry | null> {
  if (!/^\d{1,15}$/.test(id) || !ctx.viewer.permissions.has('DOMAIN_ADMIN')) return null;
  return loader(ctx).load(Number(id));
}
