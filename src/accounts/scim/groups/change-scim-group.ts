import { requireScimClient } from '../../../auth/guards.ts';
import { tellObject } from '../../../core/context/act.ts';
import { inTransaction } from '../../../core/context/in-transaction.ts';
import type { Context } from '../../../core/context/context.ts';
import { lockDomain } from '../../users/users.sql.ts';
import { asksVersion, checkVersion, type WhichResource } from '../protocol/check-version.ts';
import { readPatch } from '../protocol/read-patch.ts';
import { findScimGroup } from './find-scim-group.ts';
import { versionOfGroup, type ScimGroup } from './group-resource.ts';
import { readGroupChanges, readGroupPatch } from './read-group-changes.ts';
import { writeScimGroup } from './write-scim-group.ts';

interface GroupChange extends WhichResource {
  method: 'PATCH' | 'PUT';
  body: unknown;
  /** Whether the answer shows the members. */
  withMembers: boolean;
}

/**
 * Changes a department by operations (`PATCH`), or to what is sent (`PUT`): what is left out stays as it is. REST
 * `/scim/v2/Groups/{groupId}`. Throws E202, NotFoundError, 412, ValidationError, SCIM's errors.
 */
export function changeScimGroup(
  ctx: Context,
  { id, ifMatch, method, body, withMembers }: GroupChange,
): Promise<ScimGroup> {
  const client = requireScimClient(ctx);
  const { domainId } = client;
  tellObject(ctx, 'Dept', id);
  const isPatch = method === 'PATCH';
  const changes = isPatch ? readGroupPatch(readPatch(body)) : readGroupChanges(body);
  return inTransaction(ctx, async (tx) => {
    await lockDomain.rows(tx.db, { domainId });
    const group = await findScimGroup(tx, client, { id, withMembers: asksVersion(ifMatch) });
    checkVersion(ifMatch, versionOfGroup(group) ?? '');
    await writeScimGroup(tx, { domainId, deptId: group.id }, changes);
    return findScimGroup(tx, client, { id, withMembers });
  });
}
