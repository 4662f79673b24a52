import { requireScimClient } from '../../../auth/guards.ts';
import { tellObject } from '../../../core/context/act.ts';
import { inTransaction } from '../../../core/context/in-transaction.ts';
import type { Context } from '../../../core/context/context.ts';
import { lockDomain } from '../../users/users.sql.ts';
import { asksVersion, checkVersion, type WhichResource } from '../protocol/check-version.ts';
import { findScimGroup } from './find-scim-group.ts';
import { versionOfGroup } from './group-resource.ts';

/**
 * Takes all members out of a department and hides it from the directory; feeds still refer to it. REST `DELETE
 * /scim/v2/Groups/{groupId}`. Throws E202, NotFoundError, 412.
 */
export function deleteScimGroup(ctx: Context, { id, ifMatch }: WhichResource): Promise<void> {
  const client = requireScimClient(ctx);
  const { domainId } = client;
  tellObject(ctx, 'Dept', id);
  return inTransaction(ctx, async (tx) => {
    await lockDomain.rows(tx.db, { domainId });
    const group = await findScimGroup(tx, client, { id, withMembers: asksVersion(ifMatch) });
    checkVersion(ifMatch, versionOfGroup(group) ?? '');
    const { prisma } = tx.db;
    await prisma.userDept.deleteMany({ where: { deptId: group.id } });
    await prisma.dept.update({
      where: { id: group.id },
      data: { removedAt: new Date(tx.clock()), externalId: null },
      select: { id: true },
    });
  });
}
