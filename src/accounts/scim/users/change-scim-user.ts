import { requireScimClient } from '../../../auth/guards.ts';
import { tellObject } from '../../../core/context/act.ts';
import { inTransaction } from '../../../core/context/in-transaction.ts';
import type { Context } from '../../../core/context/context.ts';
import { lockDomain } from '../../users/users.sql.ts';
import { checkVersion, type WhichResource } from '../protocol/check-version.ts';
import { readPatch } from '../protocol/read-patch.ts';
import { findScimUser } from './find-scim-user.ts';
import { readUserChanges, readUserPatch } from './read-user-changes.ts';
import { versionOfUser, type ScimUser } from './user-resource.ts';
import { writeScimUser } from './write-scim-user.ts';

/**
 * Changes a user by operations (`PATCH`), or to what is sent (`PUT`): what is left out stays as it is, because
 * administrators set it, too. REST `/scim/v2/Users/{userId}`. Throws E202, NotFoundError, 412, ValidationError, SCIM's
 * errors.
 */
export function changeScimUser(
  ctx: Context,
  { id, ifMatch, method, body }: WhichResource & { method: 'PATCH' | 'PUT'; body: unknown },
): Promise<ScimUser> {
  const client = requireScimClient(ctx);
  const { domainId } = client;
  tellObject(ctx, 'User', id);
  const operations = method === 'PATCH' ? readPatch(body) : undefined;
  return inTransaction(ctx, async (tx) => {
    await lockDomain.rows(tx.db, { domainId });
    const user = await findScimUser(tx, client, id);
    checkVersion(ifMatch, versionOfUser(user));
    const changes = operations ? readUserPatch(operations, user) : readUserChanges(body);
    await writeScimUser(tx, { domainId, user, changes });
    return findScimUser(tx, client, id);
  });
}
