import { tellObject } from '../../../core/context/act.ts';
import type { SignedInContext } from '../../../core/context/context.ts';
import { NotFoundError } from '../../../core/errors.ts';
import { isUuid } from '../../../core/uuid.ts';

/**
 * Revokes a subscription of the viewer: its URL answers 404 from now on. GraphQL `revokeCalendarSubscription`. Throws
 * NotFoundError.
 */
export async function revokeCalendarSubscription(
  ctx: SignedInContext,
  args: { subscriptionId: string },
): Promise<void> {
  const { userId } = ctx.viewer;
  const { subscriptionId } = args;
  if (!isUuid(subscriptionId.toLowerCase())) throw new NotFoundError('CalendarSubscription');
  tellObject(ctx, 'CalendarSubscription', subscriptionId);
  await ctx.db.prisma.calendarSubscription.update({
    where: { id: subscriptionId, userId, revokedAt: null },
    data: { revokedAt: new Date(ctx.clock()) },
  });
}
