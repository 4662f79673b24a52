import type { Acting } from '../../core/context/act.ts';
import type { Services } from '../../core/context/context.ts';
import { recordWrite } from '../../core/audit/record-write.ts';
import type { Administrator } from './administrator.ts';
import { keepAnAdministrator } from './keep-an-administrator.ts';
import type { User } from './user.ts';
import { readUserChange, type UserInput } from './user-input.ts';
import { writeUser } from './write-user.ts';

/**
 * Changes a user, without checking permissions: for operators (`trivium user update`), and for updateUser, which has
 * checked them. What is left out stays as it is. Throws NotFoundError, ValidationError.
 */
export function changeUser(
  services: Pick<Services, 'db' | 'clock' | 'config'> & Acting,
  args: { admin: Administrator; userId: number; input: UserInput },
): Promise<User> {
  const { admin, userId, input } = args;
  const change = readUserChange(input);
  return keepAnAdministrator(services, args, async ({ db }) => {
    const { domainId } = admin;
    await writeUser(db, { userId, domainId }, change);
    const what = { action: 'updateUser', domainId, typename: 'User', id: userId };
    await recordWrite(services, db, what);
  });
}
