import type { Services } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import { exportedEntry, type ExportedEntry } from './audit-entry.ts';
import { auditExport, type AuditPlace } from './audit.sql.ts';
import { auditSince } from './list-audit-log.ts';

/**
 * The next entries of all domains or of one, the oldest first. Checks no permissions: for operators (`trivium audit
 * export`). Throws E900, E404.
 */
export async function exportAuditLog(
  services: Pick<Services, 'db' | 'clock' | 'config' | 'audit'>,
  args: {
    days: number;
    domain?: string | undefined;
    after?: AuditPlace | undefined;
    limit: number;
  },
): Promise<ExportedEntry[]> {
  const { days, domain: name, after, limit } = args;
  const since = auditSince(services, days);
  const domain =
    name === undefined
      ? undefined
      : await services.db.prisma.domain.findUnique({ where: { name } });
  if (domain === null) throw new AppError('E404', { message: `no domain "${name ?? ''}"` });
  await services.audit.flush();
  const filter = { since, domainId: domain?.id };
  return (await auditExport.rows(services.db, { filter, after, limit })).map(exportedEntry);
}
