import { inTransaction } from '../../core/context/in-transaction.ts';
import type { Services } from '../../core/context/context.ts';
import { invalidField } from '../../core/errors.ts';
import type { Administrator } from './administrator.ts';
import { readUser } from './read-user.ts';
import type { User } from './user.ts';
import { administratorsOf, lockDomain } from './users.sql.ts';

/**
 * Runs a change of a user in a transaction, and returns the user as it leaves them. Throws NotFoundError for a user of
 * no or another domain, and ValidationError when the domain would lose its last administrator.
 */
export function keepAnAdministrator<Ctx extends Pick<Services, 'db' | 'clock' | 'config'>>(
  ctx: Ctx,
  { admin, userId }: { admin: Administrator; userId: number },
  change: (tx: Ctx, user: User) => Promise<void>,
): Promise<User> {
  const { domainId } = admin;
  return inTransaction(ctx, async (tx) => {
    const lostTheLast = await watchAdministrators(tx, domainId);
    await change(tx, await readUser(tx, admin, userId));
    if (await lostTheLast())
      throw invalidField('userId', 'is the last administrator of the domain', 'LAST_ADMINISTRATOR');
    return readUser(tx, admin, userId);
  });
}

/**
 * Locks a domain until the end of the transaction, and returns what tells, after a change, whether it took the domain's
 * last administrator: changes of one domain wait for each other, so that two administrators can't remove each other.
 */
export async function watchAdministrators(
  { db, clock, config }: Pick<Services, 'db' | 'clock' | 'config'>,
  domainId: number,
): Promise<() => Promise<boolean>> {
  await lockDomain.rows(db, { domainId });
  const which = { domainId, now: new Date(clock()), passwords: config.passwordSignIn };
  const before = await administratorsOf.rows(db, which);
  return async () => {
    const left = await administratorsOf.rows(db, which);
    // One who has no password yet does not replace one who has.
    const canSignIn = (all: typeof left): boolean => all.some((one) => one.canSignIn);
    return left.length === 0 ? before.length > 0 : canSignIn(before) && !canSignIn(left);
  };
}
