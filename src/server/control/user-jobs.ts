import * as z from 'zod';
import { issueOneTimePassword } from '../../accounts/passwords/issue-one-time-password.ts';
import { requirePasswords } from '../../accounts/passwords/require-passwords.ts';
import { unlinkUser } from '../../accounts/oidc/unlink-user.ts';
import { addUser } from '../../accounts/users/add-user.ts';
import type { Administrator } from '../../accounts/users/administrator.ts';
import { changeUser } from '../../accounts/users/change-user.ts';
import { switchUser } from '../../accounts/users/disable-user.ts';
import { readUser } from '../../accounts/users/read-user.ts';
import { userList, type User } from '../../accounts/users/user.ts';
import { findDomain } from '../../cells/find-domain.ts';
import type { Services } from '../../core/context/context.ts';
import { NotFoundError } from '../../core/errors.ts';
import { readList } from '../../core/lists/read-list.ts';
import { foldLogin } from '../../core/text.ts';
import { job } from './control-job.ts';

/** What an operator may set of a user; names are checked by the operations. */
const fields = z.strictObject({
  displayName: z.string().optional(),
  unit: z.string().nullish(),
  profile: z.string().nullish(),
  departments: z.array(z.strictObject({ name: z.string(), home: z.boolean() })).optional(),
  permissions: z.array(z.string()).optional(),
  timeZone: z.string().nullish(),
  langCode: z.string().optional(),
  defaultView: z.enum(['MV', 'DV', 'SV']).optional(),
});
export type UserFields = z.infer<typeof fields>;

/** Jobs of `trivium user`. */
export const userJobs = {
  listUsers: job(
    z.strictObject({ domain: z.string(), search: z.string().optional(), disabled: z.boolean() }),
    async (services, { domain, search, disabled }) => {
      const { id: domainId } = await findDomain(services.db, domain);
      const query = userList({ domainId, search, ...(disabled && { disabled }) });
      return (await readList({ reads: services.db }, query)).map(describe);
    },
  ),

  createUser: job(
    z.strictObject({ login: z.string(), domain: z.string(), fields }),
    async (services, { login, domain, fields: given }) => {
      const { id: domainId } = await findDomain(services.db, domain);
      const admin: Administrator = { domainId };
      const userId = await addUser(services, admin, { ...given, login });
      return describe(await readUser(services, admin, userId));
    },
  ),

  updateUser: job(
    z.strictObject({ login: z.string(), fields }),
    async (services, { login, fields: input }) =>
      describe(await changeUser(services, { ...(await userOf(services, login)), input })),
  ),

  switchUser: job(
    z.strictObject({ login: z.string(), disabled: z.boolean() }),
    async (services, { login, disabled }) =>
      describe(await switchUser(services, { ...(await userOf(services, login)), disabled })),
  ),

  unlinkUser: job(z.strictObject({ login: z.string() }), async (services, { login }) => ({
    login,
    unlinked: await unlinkUser(services, await userOf(services, login)),
  })),

  setOneTimePassword: job(z.strictObject({ login: z.string() }), async (services, { login }) => {
    requirePasswords(services);
    const { password, user } = await issueOneTimePassword(services, await userOf(services, login));
    return { login: user.login, password, until: user.oneTimeUntil?.toISOString() ?? null };
  }),
};

async function userOf(
  { db }: Services,
  login: string,
): Promise<{ admin: Administrator; userId: number }> {
  const user = await db.prisma.user.findUnique({
    where: { login: foldLogin(login) },
  });
  if (!user) throw new NotFoundError('User');
  return { admin: { domainId: user.domainId }, userId: user.id };
}

/** A user as plain JSON. */
function describe({ disabledAt, oneTimeUntil, ...user }: User) {
  return {
    ...user,
    disabledAt: disabledAt?.toISOString() ?? null,
    oneTimeUntil: oneTimeUntil?.toISOString() ?? null,
  };
}
