import type { Services } from '../../core/context/context.ts';
import { NotFoundError } from '../../core/errors.ts';
import { readList } from '../../core/lists/read-list.ts';
import type { Administrator } from './administrator.ts';
import { userList, type User } from './user.ts';

/** The user with this id in the administrator's domain, as the primary has it. Throws NotFoundError. */
export async function readUser(
  { db }: Pick<Services, 'db'>,
  { domainId }: Administrator,
  userId: number,
): Promise<User> {
  const [user] = await readList({ reads: db }, userList({ domainId, ids: [userId] }));
  if (!user) throw new NotFoundError('User');
  return user;
}
