import { requireScimClient } from '../../../auth/guards.ts';
import type { Acting } from '../../../core/context/act.ts';
import { inTransaction } from '../../../core/context/in-transaction.ts';
import type { Context, Services } from '../../../core/context/context.ts';
import { replacePermissions } from '../../organisation/replace-permissions.ts';
import { replaceUserDepts } from '../../organisation/replace-user-depts.ts';
import { addUser } from '../../users/add-user.ts';
import { switchUser } from '../../users/disable-user.ts';
import { lockDomain } from '../../users/users.sql.ts';
import { scimError } from '../protocol/scim-error.ts';
import { findScimUser } from './find-scim-user.ts';
import { readUserChanges } from './read-user-changes.ts';
import type { ScimUser } from './user-resource.ts';
import { readLogin, writeScimUser } from './write-scim-user.ts';

/**
 * Creates a user of the directory's domain, without a password. One whom the directory deleted before comes back, as
 * new. REST `POST /scim/v2/Users`. Throws E202, ValidationError, SCIM's errors.
 */
export function createScimUser(ctx: Context, args: { body: unknown }): Promise<ScimUser> {
  const client = requireScimClient(ctx);
  const { domainId } = client;
  const changes = readUserChanges(args.body);
  if (changes.userName === undefined) throw scimError('INVALID_VALUE', 'userName is required');
  const login = readLogin(changes.userName);
  return inTransaction(ctx, async (tx) => {
    await lockDomain.rows(tx.db, { domainId });
    const userId =
      (await takeUpAgain(tx, { domainId, login })) ?? (await addUser(tx, { domainId }, { login }));
    const id = String(userId);
    const user = await findScimUser(tx, client, id);
    await writeScimUser(tx, { domainId, user, changes });
    return findScimUser(tx, client, id);
  });
}

/** Enables a deleted user of this login, with nothing of what they had but their history. */
async function takeUpAgain(
  tx: Pick<Services, 'db' | 'clock' | 'config'> & Acting,
  { domainId, login }: { domainId: number; login: string },
): Promise<number | undefined> {
  const { prisma } = tx.db;
  const found = await prisma.user.findFirst({
    where: { domainId, login, NOT: { removedAt: null } },
    select: { id: true },
  });
  if (!found) return undefined;
  const { id } = found;
  const cleared = { passwordHash: null, oneTimeUntil: null, unitId: null, profileId: null };
  const unnamed = { givenName: null, familyName: null, email: null, timeZoneLong: null };
  await prisma.user.update({
    where: { id },
    data: { ...cleared, ...unnamed, displayName: login, langCode: 'en', defaultView: 'MV' },
    select: { id: true },
  });
  await replacePermissions(tx.db, 'USER', new Map([[id, []]]));
  await replaceUserDepts(tx.db, new Map([[id, []]]));
  // Who comes now may be somebody else, with an account of their own at the provider.
  await prisma.userIdentity.deleteMany({ where: { userId: id } });
  await switchUser(tx, { admin: { domainId }, userId: id, disabled: false });
  return id;
}
