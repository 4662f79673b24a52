import type { Services } from './context.ts';
import { readsOn, type Reads } from '../database/replica.ts';

/**
 * Runs `work` in one transaction with a context whose `db` and `reads` have its connection, for Prisma and for SQL
 * alike. Within `work` use that context only: the embedded database has no
 * other connection to wait for. A transaction within a transaction is part of it. Throws UnknownOutcomeError.
 */
export function inTransaction<Ctx extends Pick<Services, 'db'>, T>(
  ctx: Ctx,
  work: (ctx: Ctx & { reads: Reads }) => Promise<T>,
): Promise<T> {
  return ctx.db.transaction((_, db) => work({ ...ctx, db, reads: readsOn(db) }));
}
