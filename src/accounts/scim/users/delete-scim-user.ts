import { requireScimClient } from '../../../auth/guards.ts';
import { tellObject } from '../../../core/context/act.ts';
import { inTransaction } from '../../../core/context/in-transaction.ts';
import type { Context } from '../../../core/context/context.ts';
import { switchUser } from '../../users/disable-user.ts';
import { lockDomain } from '../../users/users.sql.ts';
import { checkVersion, type WhichResource } from '../protocol/check-version.ts';
import { findScimUser } from './find-scim-user.ts';
import { versionOfUser } from './user-resource.ts';

/**
 * Disables a user and hides them from the directory; feeds and the history still refer to them. REST `DELETE
 * /scim/v2/Users/{userId}`. Throws E202, NotFoundError, 412, ValidationError for the last administrator.
 */
export function deleteScimUser(ctx: Context, { id, ifMatch }: WhichResource): Promise<void> {
  const client = requireScimClient(ctx);
  const { domainId } = client;
  tellObject(ctx, 'User', id);
  return inTransaction(ctx, async (tx) => {
    await lockDomain.rows(tx.db, { domainId });
    const user = await findScimUser(tx, client, id);
    checkVersion(ifMatch, versionOfUser(user));
    await switchUser(tx, { admin: { domainId }, userId: user.id, disabled: true });
    await tx.db.prisma.user.update({
      where: { id: user.id },
      data: { removedAt: new Date(tx.clock()), externalId: null },
      select: { id: true },
    });
  });
}
