import { identifyViewer } from '../../auth/identify-viewer.ts';
import type { Prisma } from '../../core/database/open-prisma.ts';
import type { Context } from '../../core/context/context.ts';
import { tellAct, tellObject } from '../../core/context/act.ts';
import { AppError, NotFoundError } from '../../core/errors.ts';
import { foldLogin, isStorable } from '../../core/text.ts';
import type { BegunSession } from '../oidc/sign-in-with-token.ts';
import { hasPassword } from '../passwords/has-password.ts';
import { requirePasswords } from '../passwords/require-passwords.ts';
import { replacePassword } from '../passwords/replace-password.ts';
import { createSession } from './create-session.ts';

/** What REST says where a one-time password needs a new one; GraphQL has a code for it. */
export const NEEDS_NEW_PASSWORD = 'This is a one-time password: sign in with a new password, too';

type Found = Awaited<ReturnType<Prisma['user']['findUniqueOrThrow']>>;

/**
 * Checks login and password and issues a session (D-70); success and failure go to the audit log. GraphQL `signIn`;
 * REST POST /session. Any wrong credentials give the same E202; too many failures E902. A one-time password needs a new
 * one, which anybody may send: without it E202, in GraphQL PASSWORD_CHANGE_REQUIRED. Throws ValidationError for a new
 * password that can't be used. Where passwords are switched off, always E202, in GraphQL PASSWORD_SIGN_IN_OFF.
 */
export async function signIn(
  ctx: Context,
  args: { login: string; password: string; newPassword?: string | null | undefined },
): Promise<BegunSession> {
  requirePasswords(ctx, 'E202');
  const login = foldLogin(args.login);
  const who = { login, address: ctx.remoteAddress, token: ctx.token };
  const find = async (): Promise<Found | null> =>
    isStorable(login) ? ctx.db.prisma.user.findUnique({ where: { login } }) : null;
  // Who fails to sign in is not known to be the user, but the user's administrators shall see it.
  const tellFailure = (found: Found | null): void => {
    if (found) tellObject(ctx, 'User', found.id);
    tellAct(ctx, {
      actor: 'unknown',
      userId: null,
      domainId: found?.domainId ?? null,
      target: `${found ? `user:${found.id}` : 'no such login'} from ${ctx.remoteAddress}`,
    });
  };
  const user = await ctx.signInThrottle
    .attempt(who, async () => {
      const found = await find();
      const matches = await hasPassword(ctx, found, args.password);
      if (found && !found.disabledAt && matches) return found;
      tellFailure(found);
      return undefined;
    })
    .catch(async (error: unknown) => {
      if (error instanceof AppError && error.code === 'E902') tellFailure(await find());
      throw error;
    });
  if (!user) {
    ctx.log.info({ requestId: ctx.requestId, address: ctx.remoteAddress }, 'sign-in refused');
    throw wrong();
  }
  const { id: userId, domainId } = user;
  tellObject(ctx, 'User', userId);
  tellAct(ctx, { actor: `user:${userId}`, userId, domainId, target: `from ${ctx.remoteAddress}` });
  let provedBy = user.passwordHash;
  if (args.newPassword != null) {
    const { password: oldPassword, newPassword } = args;
    provedBy = await replacePassword(ctx, { user, oldPassword, newPassword });
  } else if (user.oneTimeUntil)
    throw new AppError('E202', {
      message: NEEDS_NEW_PASSWORD,
      graphqlCode: 'PASSWORD_CHANGE_REQUIRED',
    });
  const session = await createSession(ctx, user.login, provedBy).catch((error: unknown) => {
    throw error instanceof NotFoundError ? wrong() : error;
  });
  const viewer = await identifyViewer(ctx, session.token);
  if (!viewer) throw wrong();
  return { ...session, viewer };
}

function wrong(): AppError {
  return new AppError('E202', { message: 'Login or password is wrong' });
}
