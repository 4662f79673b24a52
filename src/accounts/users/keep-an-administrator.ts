import { inTransaction } from '../../core/context/in-transaction.ts';
import type { Services } from '../../core/context/context.ts';
import { ValidationError } from '../../core/errors.ts';
import type { Administrator } from './administrator.ts';
import { readUser } from './read-user.ts';
import type { User } from './user.ts';
import { holdersOf, lockDomain } from './users.sql.ts';

/**
 * Runs a change of a user in a transaction, and returns the user as it leaves them. Throws NotFoundError for a user of
 * no or another domain, and ValidationError when the domain would lose its last administrator: changes of one domain
 * wait for each other, so that two administrators can't remove each other.
 */
export function keepAnAdministrator<Ctx extends Pick<Services, 'db' | 'clock'>>(
  ctx: Ctx,
  { admin, userId }: { admin: Administrator; userId: number },
  change: (tx: Ctx, user: User) => Promise<void>,
): Promise<User> {
  const { domainId } = admin;
  return inTransaction(ctx, async (tx) => {
    await lockDomain.rows(tx.db, { domainId });
    const user = await readUser(tx, admin, userId);
    const holding = { domainId, permission: 'DOMAIN_ADMIN', now: new Date(tx.clock()) };
    const administrators = await holdersOf.rows(tx.db, holding);
    await change(tx, user);
    const left = await holdersOf.rows(tx.db, holding);
    // One who has no password yet does not replace one who has.
    const canSignIn = (all: typeof left): boolean => all.some((one) => one.canSignIn);
    if (
      left.length === 0 ? administrators.length > 0 : canSignIn(administrators) && !canSignIn(left)
    )
      throw new ValidationError([
        {
          path: ['input', 'userId'],
          message: 'is the last administrator of the domain',
          code: 'LAST_ADMINISTRATOR',
        },
      ]);
    return readUser(tx, admin, userId);
  });
}
