import { inTransaction } from '../../core/context/in-transaction.ts';
import type { Acting } from '../../core/context/act.ts';
import type { Services } from '../../core/context/context.ts';
import { recordWrite } from '../../core/audit/record-write.ts';
import type { Administrator } from './administrator.ts';
import { readNewUser, type NewUserInput } from './user-input.ts';
import { writeUser } from './write-user.ts';

/**
 * Creates a user without a password, and returns the id, without checking permissions: for operators (`trivium user
 * create`), and for createUser, which has checked them. Throws ValidationError.
 */
export function addUser(
  services: Pick<Services, 'db' | 'clock'> & Acting,
  { domainId }: Administrator,
  input: NewUserInput,
): Promise<number> {
  const { login, ...given } = readNewUser(input);
  return inTransaction(services, async ({ db }) => {
    const { id: userId } = await db.prisma.user.create({
      data: { domainId, login, displayName: given.displayName ?? login },
      select: { id: true },
    });
    await writeUser(db, { userId, domainId }, given);
    const what = { action: 'createUser', domainId, typename: 'User', id: userId };
    await recordWrite(services, db, what);
    return userId;
  });
}
