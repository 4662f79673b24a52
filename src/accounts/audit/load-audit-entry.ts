import DataLoader from 'dataloader';
import { perRequest, type SignedInContext } from '../../core/context/context.ts';
import { auditById } from './audit.sql.ts';
import type { AuditLogEntry } from './audit-entry.ts';

const loader = perRequest(
  (ctx: SignedInContext) =>
    new DataLoader<number, AuditLogEntry | null>(
      async (ids) => {
        const { domainId } = ctx.viewer;
        const rows = await auditById.rows(ctx.db, { ids: [...ids], domainId });
        const found = new Map(rows.map((row) => [row.id, row]));
        return ids.map((id) => found.get(id) ?? null);
      },
      { maxBatchSize: 500 },
    ),
);

/** An entry of the administrator's domain. GraphQL `node`. Null for any other id and any other caller. */
export async function loadAuditEntry(
  ctx: SignedInContext,
  id: string,
): Promise<AuditLogEntry | null> {
  if (!/^\d{1,15}$/.test(id) || !ctx.viewer.permissions.has('DOMAIN_ADMIN')) return null;
  return loader(ctx).load(Number(id));
}
