import type { SignedInContext } from '../../core/context/context.ts';
import { invalidField } from '../../core/errors.ts';
import { hasPassword } from './has-password.ts';
import { requirePasswords } from './require-passwords.ts';
import { replacePassword } from './replace-password.ts';

/**
 * Changes the viewer's own password; their other sessions end. Wrong old passwords count as failed sign-ins. GraphQL
 * `changePassword`. Throws ValidationError, E902 after too many failures, and 403 where passwords are switched off.
 */
export async function changePassword(
  ctx: SignedInContext,
  { oldPassword, newPassword }: { oldPassword: string; newPassword: string },
): Promise<void> {
  requirePasswords(ctx);
  const { userId, login, sessionId } = ctx.viewer;
  const who = { login, address: ctx.remoteAddress, token: ctx.token };
  const user = await ctx.signInThrottle.attempt(who, async () => {
    const found = await ctx.db.prisma.user.findUnique({ where: { id: userId } });
    const matches = await hasPassword(ctx, found, oldPassword);
    return found && matches ? found : undefined;
  });
  if (!user) throw invalidField('oldPassword', 'is wrong', 'WRONG');
  await replacePassword(ctx, { user, oldPassword, newPassword, sessionId });
}
