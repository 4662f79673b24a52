import type { SignedInContext } from '../../core/context/context.ts';
import { NotFoundError } from '../../core/errors.ts';
import { isUuid } from '../../core/uuid.ts';

/** Ends a session of the viewer at once, with its streams. GraphQL `endSession`. Throws NotFoundError. */
export async function endSession(ctx: SignedInContext, args: { sessionId: string }): Promise<void> {
  const id = args.sessionId.toLowerCase();
  const now = new Date(ctx.clock());
  const live = { revokedAt: null, expiresAt: { gt: now }, absoluteExpiresAt: { gt: now } };
  const { count } = isUuid(id)
    ? await ctx.db.prisma.session.updateMany({
        where: { id, userId: ctx.viewer.userId, ...live },
        data: { revokedAt: now },
      })
    : { count: 0 };
  if (count === 0) throw new NotFoundError('Session');
}
