import { requireScimClient } from '../../../auth/guards.ts';
import { tellObject } from '../../../core/context/act.ts';
import { inTransaction } from '../../../core/context/in-transaction.ts';
import type { Context } from '../../../core/context/context.ts';
import { fold } from '../../../core/text.ts';
import { lockDomain } from '../../users/users.sql.ts';
import { scimError } from '../protocol/scim-error.ts';
import { findScimGroup } from './find-scim-group.ts';
import type { ScimGroup } from './group-resource.ts';
import { readGroupChanges } from './read-group-changes.ts';
import { writeScimGroup } from './write-scim-group.ts';

/**
 * Creates a department. One that the directory deleted before comes back with its name. REST `POST /scim/v2/Groups`.
 * Throws E202, ValidationError, SCIM's errors.
 */
export function createScimGroup(ctx: Context, args: { body: unknown }): Promise<ScimGroup> {
  const client = requireScimClient(ctx);
  const { domainId } = client;
  const changes = readGroupChanges(args.body);
  const { displayName: name } = changes;
  if (name === undefined) throw scimError('INVALID_VALUE', 'displayName is required');
  return inTransaction(ctx, async (tx) => {
    await lockDomain.rows(tx.db, { domainId });
    const { dept } = tx.db.prisma;
    const nameFold = fold(name);
    const removed = await dept.findFirst({
      where: { domainId, nameFold, NOT: { removedAt: null } },
      select: { id: true },
    });
    const { id } = removed
      ? await dept.update({ where: removed, data: { removedAt: null }, select: { id: true } })
      : await dept.create({ data: { domainId, name, nameFold }, select: { id: true } });
    tellObject(tx, 'Dept', id);
    await writeScimGroup(tx, { domainId, deptId: id }, changes);
    return findScimGroup(tx, client, { id: String(id), withMembers: true });
  });
}
