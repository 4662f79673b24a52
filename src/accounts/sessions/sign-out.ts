import { requireViewer } from '../../auth/guards.ts';
import type { Context } from '../../core/context/context.ts';

/** Revokes the session of this request at once. GraphQL `signOut`; REST DELETE /session. */
export async function signOut(ctx: Context): Promise<void> {
  const { sessionId } = requireViewer(ctx);
  await ctx.db.prisma.session.update({
    where: { id: sessionId },
    data: { revokedAt: new Date(ctx.clock()) },
  });
}
