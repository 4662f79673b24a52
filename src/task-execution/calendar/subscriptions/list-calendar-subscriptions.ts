import type { SignedInContext } from '../../../core/context/context.ts';

/** A calendar subscription as its owner sees it. */
export interface CalendarSubscription {
  id: string;
  timeZone: string;
  createdAt: Date;
}

/** The viewer's subscriptions that are not revoked, newest first. GraphQL `viewer.calendarSubscriptions`. */
export async function listCalendarSubscriptions(
  ctx: SignedInContext,
): Promise<CalendarSubscription[]> {
  const { userId } = ctx.viewer;
  return ctx.db.prisma.calendarSubscription.findMany({
    where: { userId, revokedAt: null },
    orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
    select: { id: true, timeZone: true, createdAt: true },
  });
}
