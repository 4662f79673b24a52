import type { Services } from '../../../core/context/context.ts';
import type { ScimClient } from '../../../core/context/customer.ts';
import { NotFoundError } from '../../../core/errors.ts';
import { parseRowId } from '../../users/decode-user-id.ts';
import { scimUserColumns, type ScimUser } from './user-resource.ts';

/** The user with this id in the directory's domain, unless it deleted them. Throws NotFoundError. */
export async function findScimUser(
  { db }: Pick<Services, 'db'>,
  { domainId }: Pick<ScimClient, 'domainId'>,
  id: string,
): Promise<ScimUser> {
  const user = await db.prisma.user.findFirst({
    where: { id: parseRowId(id) ?? 0, domainId, removedAt: null },
    select: scimUserColumns,
  });
  if (!user) throw new NotFoundError('User');
  return user;
}
