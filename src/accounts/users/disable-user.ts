import { requirePermission } from '../../auth/guards.ts';
import type { Acting } from '../../core/context/act.ts';
import type { Services, SignedInContext } from '../../core/context/context.ts';
import { recordWrite } from '../../core/audit/record-write.ts';
import type { Administrator } from './administrator.ts';
import { keepAnAdministrator } from './keep-an-administrator.ts';
import type { User } from './user.ts';

/**
 * Disables a user of the administrator's domain: sessions, streams and calendar addresses end at once. GraphQL
 * `disableUser`. Throws ForbiddenError, NotFoundError, ValidationError for the last administrator.
 */
export function disableUser(ctx: SignedInContext, args: { userId: number }): Promise<User> {
  const admin = requirePermission(ctx, 'DOMAIN_ADMIN');
  return switchUser(ctx, { ...args, admin, disabled: true });
}

/** Lets a disabled user sign in again. GraphQL `enableUser`. Throws ForbiddenError, NotFoundError. */
export function enableUser(ctx: SignedInContext, args: { userId: number }): Promise<User> {
  const admin = requirePermission(ctx, 'DOMAIN_ADMIN');
  return switchUser(ctx, { ...args, admin, disabled: false });
}

/**
 * Disables or enables a user, without checking permissions: for operators, and for disableUser and enableUser, which
 * have checked them. Disabling ends sessions, with their streams, and calendar addresses for good; enabling later does
 * not bring them back. A user who is so already stays as they are. Throws NotFoundError, ValidationError.
 */
export function switchUser(
  services: Pick<Services, 'db' | 'clock' | 'config'> & Acting,
  args: { admin: Administrator; userId: number; disabled: boolean },
): Promise<User> {
  const { admin, userId, disabled } = args;
  return keepAnAdministrator(services, args, async ({ db }, user) => {
    const { prisma } = db;
    if (disabled === Boolean(user.disabledAt)) return;
    const at = new Date(services.clock());
    await prisma.user.update({
      where: { id: userId },
      data: disabled ? { disabledAt: at } : { disabledAt: null, removedAt: null },
      select: { id: true },
    });
    if (disabled) {
      const live = { where: { userId, revokedAt: null }, data: { revokedAt: at } };
      await prisma.session.updateMany(live);
      await prisma.calendarSubscription.updateMany(live);
    }
    const action = disabled ? 'disableUser' : 'enableUser';
    const { domainId } = admin;
    await recordWrite(services, db, { action, domainId, typename: 'User', id: userId });
  });
}
