import { actWithin, recordLast, type Act } from './act.ts';
import type { Services } from './context.ts';
import { readsOn, type Reads } from '../database/replicas/reads.ts';

/** A context within a transaction. */
export type InTransaction<Ctx> = Ctx & {
  reads: Reads;
  /**
   * Keeps the last statements of the transaction: those that `request` runs before it first waits are sent together with
   * COMMIT, and with BEGIN where they are the only ones. SQL only, not Prisma.
   */
  atEnd: (request: () => Promise<void>) => void;
};

/**
 * Runs `work` in one transaction with a context whose `db` and `reads` have its connection, for Prisma and for SQL
 * alike. Within `work` use that context only: the embedded database has no
 * other connection to wait for. A transaction within a transaction is part of it. If the request is a write, its entry
 * in the audit log is part of it too. Throws UnknownOutcomeError.
 */
export async function inTransaction<
  Ctx extends Pick<Services, 'db'> & { readonly act?: Act | undefined },
  T,
>(ctx: Ctx, work: (ctx: InTransaction<Ctx>) => Promise<T>): Promise<T> {
  const { act } = ctx;
  const written = act?.entryId;
  const last: (() => Promise<void>)[] = [];
  const atEnd = (request: () => Promise<void>): void => void last.push(request);
  try {
    return await ctx.db.transaction(
      (_, db) => actWithin(act, () => work({ ...ctx, db, reads: readsOn(db), atEnd })),
      async (db) => {
        await Promise.all([...last.map((request) => request()), recordLast(act, db)]);
      },
    );
  } catch (error) {
    // Rolled back with the rest.
    if (act) act.entryId = written;
    throw error;
  }
}
