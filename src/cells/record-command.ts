import type { Services } from '../core/context/context.ts';
import { writeAuditLog } from '../core/context/write-audit-log.ts';
import { inCopy } from '../core/database/copy/write-rows.ts';

/** Leaves an entry for a command about a domain, also while the domain takes no writes. */
export async function recordCommand(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  action: string,
  { domainId, target }: { domainId: number | null; target: string },
): Promise<void> {
  const who = { actor: 'operator', surface: 'COMMAND' } as const;
  await inCopy(db, { bulk: false }, async (tx) => {
    await writeAuditLog(tx, { ...who, action, domainId, target, at: new Date(clock()) });
  });
}
