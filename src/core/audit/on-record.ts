import { entryOf, type Act } from '../context/act.ts';
import type { Services } from '../context/context.ts';
import { UnknownOutcomeError } from '../database/db.ts';
import { writeAuditLog, type AuditOutcome } from '../context/write-audit-log.ts';
import { AppError, domainClosed } from '../errors.ts';
import { toAppError } from '../failures/to-app-error.ts';

/**
 * Runs a write, and sees to its entry in the audit log: one, in its transaction where it has one. Where it has none, the
 * entry follows; a gateway that ends in between leaves none. `refusalIn` finds the code of
 * a refusal in the result.
 */
export async function onRecord<T>(
  services: Pick<Services, 'db' | 'log' | 'audit'>,
  act: Act,
  work: () => Promise<T>,
  refusalIn: (result: T) => string | undefined = () => undefined,
): Promise<T> {
  try {
    if (act.isOpen === false) throw domainClosed();
    const result = await work();
    const code = refusalIn(result);
    await finish(services, act, code === undefined ? undefined : { outcome: 'REFUSED', code });
    return result;
  } catch (error) {
    // The entry is there if the write is.
    if (error instanceof UnknownOutcomeError) throw error;
    await finish(services, act, endOf(error));
    throw error;
  }
}

/**
 * Writes what the transaction has not written. A failure is logged only: the write itself is done. But where the domain was
 * locked before, nobody knows whether the write is in what was moved: it is not acknowledged.
 */
async function finish(
  { db, log, audit }: Pick<Services, 'db' | 'log' | 'audit'>,
  act: Act,
  ended: ReturnType<typeof endOf> | undefined,
): Promise<void> {
  act.over = true;
  try {
    const { entryId: id } = act;
    // What is written was committed: that a later step failed does not undo it.
    if (id !== undefined) return;
    if (ended) await audit.refused(entryOf(act, ended));
    else await writeAuditLog(db, entryOf(act, { outcome: 'DONE', code: null }));
  } catch (fault) {
    if (!ended && fault instanceof AppError) throw fault;
    const { action, requestId } = act;
    log.error({ err: fault, operation: action, requestId }, 'no entry in the audit log');
  }
}

/** How an operation ended that threw this: with the code that its client got. */
function endOf(error: unknown): { outcome: AuditOutcome; code: string } {
  const { status, graphqlCode } = toAppError(error);
  return { outcome: status >= 500 ? 'FAILED' : 'REFUSED', code: graphqlCode };
}
