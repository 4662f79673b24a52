import type { Acting } from '../../../core/context/act.ts';
import type { Services } from '../../../core/context/context.ts';
import type { Database } from '../../../core/database/db.ts';
import { ValidationError } from '../../../core/errors.ts';
import { loginField } from '../../../core/records/record-fields.ts';
import { changeUser } from '../../users/change-user.ts';
import { switchUser } from '../../users/disable-user.ts';
import type { UserInput } from '../../users/user-input.ts';
import { isAdministrator } from '../../users/users.sql.ts';
import { scimError } from '../protocol/scim-error.ts';
import type { UserChanges } from './read-user-changes.ts';
import type { ScimUser } from './user-resource.ts';

/**
 * Writes what a directory changes of a user, by the operations that administrators use. Throws ValidationError,
 * invalidValue, mutability.
 */
export async function writeScimUser(
  tx: Pick<Services, 'db' | 'clock' | 'config'> & Acting,
  { domainId, user, changes }: { domainId: number; user: ScimUser; changes: UserChanges },
): Promise<void> {
  const { userName, externalId, givenName, familyName, email, active } = changes;
  const admin = { domainId };
  const input = inputOf(user, changes);
  if (Object.values(input).some((value) => value !== undefined))
    await changeUser(tx, { admin, userId: user.id, input });
  const login = userName === undefined ? user.login : readLogin(userName);
  if (login !== user.login) await checkRename(tx.db, { domainId, user, login });
  await keepFields(tx.db, user.id, {
    ...(login !== user.login && { login }),
    ...(externalId !== undefined && { externalId }),
    ...(givenName !== undefined && { givenName }),
    ...(familyName !== undefined && { familyName }),
    ...(email !== undefined && { email }),
  });
  const isActive = user.disabledAt === null;
  if (active !== undefined && active !== isActive)
    await switchUser(tx, { admin, userId: user.id, disabled: !active });
}

/** A login as it is kept. Throws invalidValue. */
export function readLogin(userName: string): string {
  const { data } = loginField.safeParse(userName);
  if (data !== undefined) return data;
  throw scimError('INVALID_VALUE', 'userName must be 1 to 200 characters without spaces');
}

/**
 * Refuses to rename an administrator, enabled or not: the new login may be that of another person at the provider of
 * identities, who would become the administrator. Names of deleted users are refused with the way to get them back.
 */
async function checkRename(
  db: Database,
  { domainId, user, login }: { domainId: number; user: ScimUser; login: string },
): Promise<void> {
  if (await isAdministrator.first(db, { userId: user.id }))
    throw scimError('MUTABILITY', 'userName of an administrator does not change');
  const deleted = await db.prisma.user.findFirst({
    where: { domainId, login, NOT: { removedAt: null } },
    select: { id: true },
  });
  if (!deleted) return;
  const message = 'is that of a deleted user: create it again by POST';
  throw new ValidationError([{ path: ['login'], message, code: 'TAKEN' }]);
}

/** What changes of all that administrators set, too. */
function inputOf(user: ScimUser, changes: UserChanges): UserInput {
  const { locale, timeZone, unit } = changes;
  return {
    displayName: displayNameOf(user, changes),
    unit,
    timeZone,
    // Okta writes en_US.
    langCode: locale === null ? 'en' : locale?.replaceAll('_', '-'),
  };
}

/**
 * The name for display, if it changes: as the directory says, else the formatted name, or one made of the other names,
 * wherever the one until now was made so, too.
 */
function displayNameOf(user: ScimUser, changes: UserChanges): string | undefined {
  const { displayName, formatted, givenName, familyName } = changes;
  if (displayName != null) return displayName;
  const isMade = [composed(namesOf(user)), user.login].includes(user.displayName);
  const isTouched = [formatted, givenName, familyName].some((name) => name !== undefined);
  if (displayName === undefined && !(isMade && isTouched)) return undefined;
  return formatted ?? (composed({ ...namesOf(user), ...changes }) || user.login);
}

const namesOf = ({ givenName, familyName }: ScimUser): UserChanges => ({ givenName, familyName });

function composed({ givenName, familyName }: UserChanges): string {
  const text = [givenName, familyName].filter(Boolean).join(' ').slice(0, 200);
  // Half a character may be left at the end.
  return text.isWellFormed() ? text : text.slice(0, -1);
}

async function keepFields(
  { prisma }: Pick<Database, 'prisma'>,
  id: number,
  data: Partial<Pick<ScimUser, 'login' | 'externalId' | 'givenName' | 'familyName' | 'email'>>,
): Promise<void> {
  if (Object.keys(data).length === 0) return;
  await prisma.user.update({ where: { id }, data, select: { id: true } });
}
