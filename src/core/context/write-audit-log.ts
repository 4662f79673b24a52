import type { Database } from '../database/db.ts';

export interface AuditEntry {
  /** `user:<id>`, `operator` for the command line and imports, `unknown` for failed sign-ins. */
  actor: string;
  /** Name of the operation. */
  action: string;
  /**
   * Only our own ids and names, nothing secret and nothing that a stranger typed: it may be a password in the wrong
   * field.
   */
  target: string;
  at: Date;
}

/** Records a security-relevant action and who did it, in the transaction of the action. */
export async function writeAuditLog(
  { prisma }: Pick<Database, 'prisma'>,
  entry: AuditEntry,
): Promise<void> {
  await prisma.auditLog.create({ data: entry, select: { id: true } });
}
