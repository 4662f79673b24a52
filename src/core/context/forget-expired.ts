import type { Services } from './context.ts';

/** Days for which usage counts are kept (F267). */
export const USAGE_DAYS = 90;

/** Days for which the places of a sign-in are remembered. */
export const PLACE_DAYS = 90;

/** Deletes expired idempotency keys, rate-limit counters, places of sign-ins, counts of use and entries of the audit log. */
export async function forgetExpired({
  db,
  clock,
  config,
}: Pick<Services, 'db' | 'clock' | 'config'>): Promise<void> {
  const { prisma } = db;
  const daysAgo = (days: number): Date => new Date(clock() - days * 86_400_000);
  await prisma.auditLog.deleteMany({ where: { at: { lte: daysAgo(config.auditDays) } } });
  await prisma.idempotencyRecord.deleteMany({ where: { expiresAt: { lte: daysAgo(0) } } });
  await prisma.legacyUsage.deleteMany({ where: { day: { lte: daysAgo(USAGE_DAYS) } } });
  await prisma.signInPlace.deleteMany({ where: { seenAt: { lte: daysAgo(PLACE_DAYS) } } });
  await prisma.rateLimit.deleteMany({ where: { expire: { lte: Date.now() } } });
}
