import { requireScimClient } from '../../../auth/guards.ts';
import type { Context } from '../../../core/context/context.ts';
import { findScimGroup } from './find-scim-group.ts';
import type { ScimGroup } from './group-resource.ts';

/** A department of the directory's domain. REST `GET /scim/v2/Groups/{groupId}`. Throws E202, NotFoundError, tooMany. */
export function readScimGroup(
  ctx: Context,
  args: { id: string; withMembers: boolean },
): Promise<ScimGroup> {
  return findScimGroup(ctx, requireScimClient(ctx), args);
}
