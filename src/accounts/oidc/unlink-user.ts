import { recordWrite } from '../../core/audit/record-write.ts';
import type { Acting } from '../../core/context/act.ts';
import type { Services } from '../../core/context/context.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import type { Administrator } from '../users/administrator.ts';
import { holdUser } from '../users/users.sql.ts';

/**
 * Forgets which identity of a provider is the user, and ends the user's sessions, without checking permissions: for
 * operators (`trivium user unlink`). Returns whether there was one.
 */
export function unlinkUser(
  services: Pick<Services, 'db' | 'clock'> & Acting,
  { admin, userId }: { admin: Administrator; userId: number },
): Promise<boolean> {
  const { domainId } = admin;
  return inTransaction(services, async ({ db }) => {
    // A sign-in that is under way ends first, with its session; one that comes later finds no identity.
    await holdUser.rows(db, { userId });
    const { count } = await db.prisma.userIdentity.deleteMany({ where: { userId } });
    await db.prisma.session.updateMany({
      where: { userId, revokedAt: null },
      data: { revokedAt: new Date(services.clock()) },
    });
    const what = { action: 'unlinkUser', domainId, typename: 'User', id: userId };
    await recordWrite(services, db, what);
    return count > 0;
  });
}
