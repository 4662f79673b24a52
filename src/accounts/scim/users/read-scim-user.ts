import { requireScimClient } from '../../../auth/guards.ts';
import type { Context } from '../../../core/context/context.ts';
import { findScimUser } from './find-scim-user.ts';
import type { ScimUser } from './user-resource.ts';

/** A user of the directory's domain. REST `GET /scim/v2/Users/{userId}`. Throws E202, NotFoundError. */
export function readScimUser(ctx: Context, { id }: { id: string }): Promise<ScimUser> {
  return findScimUser(ctx, requireScimClient(ctx), id);
}
