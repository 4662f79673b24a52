import type { Database } from '../database/db.ts';
import { tellAct, tellObject, type Acting } from '../context/act.ts';
import type { Services } from '../context/context.ts';
import { writeAuditLog } from '../context/write-audit-log.ts';

/** A write that users do by a request, and operators by a command. */
interface SharedWrite {
  action: string;
  domainId: number | null;
  typename: string;
  id: string | number;
  target?: string;
}

/**
 * Tells of a write, within its transaction: names its object in the act of the request, whose entry in the audit log is
 * written with the transaction. A command has no act: its entry is written here.
 */
export async function recordWrite(
  { act, clock }: Pick<Services, 'clock'> & Acting,
  db: Pick<Database, 'rows'>,
  { action, domainId, typename, id, target }: SharedWrite,
): Promise<void> {
  tellObject({ act }, typename, id);
  if (target !== undefined) tellAct({ act }, { target });
  if (act) return;
  await writeAuditLog(db, {
    ...{ actor: 'operator', surface: 'COMMAND', action, domainId, at: new Date(clock()) },
    objects: [`${typename}:${id}`],
    target,
  });
}
