import { requirePermission } from '../../auth/guards.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import { ValidationError } from '../../core/errors.ts';
import type { Connection, PageRequest } from '../../core/lists/pagination.ts';
import { readPage } from '../../core/lists/read-list.ts';
import { isStorable } from '../../core/text.ts';
import { userList, type User } from './user.ts';

export interface ListUsersArgs {
  /** Part of the login or the name. */
  search?: string | null | undefined;
  disabled?: boolean | null | undefined;
  page: PageRequest;
}

/** The users of the administrator's domain, by login. GraphQL `viewer.users`. Throws ForbiddenError, ValidationError. */
export async function listUsers(
  ctx: SignedInContext,
  { search, disabled, page }: ListUsersArgs,
): Promise<Connection<User>> {
  const { domainId } = requirePermission(ctx, 'DOMAIN_ADMIN');
  if (search != null && (search.length > 200 || !isStorable(search)))
    throw new ValidationError([
      { path: ['search'], message: 'must be at most 200 characters of text', code: 'INVALID' },
    ]);
  const which = {
    domainId,
    search: search?.normalize('NFC') || undefined,
    disabled: disabled ?? undefined,
  };
  return readPage(ctx, userList(which), page);
}
