import type { SessionWhereInput } from '../../generated/prisma/models.ts';
import type { Prisma } from '../database/open-prisma.ts';
import type { Services } from './context.ts';
import { isArriving } from '../database/copy/is-arriving.ts';
import { forgetCounters, forgetKeys } from '../sql/writes.sql.ts';

/** Days for which usage counts are kept (F267). */
export const USAGE_DAYS = 90;

/** Days for which the places and the devices of a sign-in are remembered. A device is known by its last session. */
export const PLACE_DAYS = 90;

/** Rows that are deleted by one statement, where they may be many. */
const STEP = 5_000;

/**
 * Deletes expired idempotency keys, rate-limit counters, places of sign-ins, sessions, counts of use and entries of the
 * audit log. Nothing while a domain arrives.
 */
export async function forgetExpired({
  db,
  clock,
  config,
}: Pick<Services, 'db' | 'clock' | 'config'>): Promise<void> {
  if (await isArriving(db)) return;
  const { prisma } = db;
  const daysAgo = (days: number): Date => new Date(clock() - days * 86_400_000);
  const keys = { now: daysAgo(0), limit: STEP };
  while ((await forgetKeys.first(db, keys))?.gone === STEP);
  await prisma.legacyUsage.deleteMany({ where: { day: { lte: daysAgo(USAGE_DAYS) } } });
  await prisma.signInPlace.deleteMany({ where: { seenAt: { lte: daysAgo(PLACE_DAYS) } } });
  const old = { lte: daysAgo(PLACE_DAYS) };
  await forgetSessions(prisma, { proof: null, expiresAt: old }, { expiresAt: 'asc' });
  // The tokens of providers are over, too: they begin no other session.
  const over = { proof: { not: null }, absoluteExpiresAt: { lte: daysAgo(1) } };
  await forgetSessions(prisma, over, { proof: 'asc' });
  await forgetCounters.rows(db, {});
  await forgetAuditLog(prisma, daysAgo(config.auditDays));
}

/** Users who sign in by a script have many. Each is in the order of an index, which has few others. */
async function forgetSessions(
  prisma: Prisma,
  where: SessionWhereInput,
  orderBy: { expiresAt: 'asc' } | { proof: 'asc' },
): Promise<void> {
  await inSteps(
    () => prisma.session.findMany({ where, orderBy, select: { id: true }, take: STEP }),
    (ids) => prisma.session.deleteMany({ where: { id: { in: ids } } }),
  );
}

/** Last: after a change of AUDIT_DAYS it may be much. */
async function forgetAuditLog(prisma: Prisma, before: Date): Promise<void> {
  const where = { at: { lte: before } };
  // In the order of its index: else all of the log may be read to find that there is nothing.
  const orderBy = { at: 'asc' } as const;
  await inSteps(
    () => prisma.auditLog.findMany({ where, orderBy, select: { id: true }, take: STEP }),
    (ids) => prisma.auditLog.deleteMany({ where: { id: { in: ids } } }),
  );
}

/** Deletes the rows that `find` finds, STEP at a time, until there are no more. */
async function inSteps<Id>(
  find: () => Promise<{ id: Id }[]>,
  remove: (ids: Id[]) => Promise<unknown>,
): Promise<void> {
  for (;;) {
    const found = await find();
    await remove(found.map(({ id }) => id));
    if (found.length < STEP) return;
  }
}
