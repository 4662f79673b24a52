import type { SignedInContext } from '../../../core/context/context.ts';
import { NotFoundError } from '../../../core/errors.ts';
import { isUuid } from '../../../core/uuid.ts';

/** Revokes a subscription of the viewer: its address answers 404 from now on. GraphQL `revokeCalendarSubscription`. Throws NotFoundError. */
export async function revokeCalendarSubscription(
  ctx: SignedInContext,
  args: { subscriptionId: string },
): Promise<void> {
  const { userId } = ctx.viewer;
  const known = isUuid(args.subscriptionId.toLowerCase());
  const revoked = known
    ? await ctx.db.rows(
        'UPDATE calendar_subscription SET revoked_at = $3 WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL RETURNING id',
        [args.subscriptionId, userId, new Date(ctx.clock()).toISOString()],
      )
    : [];
  if (revoked.length === 0) throw new NotFoundError('CalendarSubscription');
}
