import type { SignedInContext } from '../../core/context/context.ts';

/** Revokes the session of this request at once. GraphQL `signOut`; REST DELETE /session. */
export async function signOut(ctx: SignedInContext): Promise<void> {
  const { sessionId } = ctx.viewer;
  await ctx.db.prisma.session.update({
    where: { id: sessionId },
    data: { revokedAt: new Date(ctx.clock()) },
  });
}
