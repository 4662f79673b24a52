import { tagOf } from '../../../core/tag-of.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { ENTERPRISE_SCHEMA, USER_SCHEMA } from '../protocol/attribute-path.ts';

/** What is read of a user. */
export const scimUserColumns = {
  id: true,
  login: true,
  displayName: true,
  externalId: true,
  givenName: true,
  familyName: true,
  email: true,
  langCode: true,
  timeZoneLong: true,
  disabledAt: true,
  unit: { select: { name: true } },
  depts: {
    where: { dept: { removedAt: null } },
    select: { dept: { select: { id: true, name: true } } },
    orderBy: { deptId: 'asc' },
  },
} as const satisfies Prisma.UserSelect;

/** A user as a directory manages them. */
export type ScimUser = Prisma.UserGetPayload<{ select: typeof scimUserColumns }>;

/** The ETag of a user. */
export function versionOfUser(user: ScimUser): string {
  return tagOf(JSON.stringify(user));
}

/** The user as a resource of SCIM (RFC 7643, 4.1). */
export function userResource(user: ScimUser, baseUrl: string): Record<string, unknown> {
  const { id, login, displayName, externalId, givenName, familyName, email, unit, depts } = user;
  return {
    schemas: [USER_SCHEMA, ...(unit ? [ENTERPRISE_SCHEMA] : [])],
    id: String(id),
    ...(externalId !== null && { externalId }),
    userName: login,
    displayName,
    name: {
      formatted: displayName,
      ...(givenName !== null && { givenName }),
      ...(familyName !== null && { familyName }),
    },
    ...(email !== null && { emails: [{ value: email, type: 'work', primary: true }] }),
    active: user.disabledAt === null,
    locale: user.langCode,
    ...(user.timeZoneLong !== null && { timezone: user.timeZoneLong }),
    groups: depts.map(({ dept }) => ({
      value: String(dept.id),
      $ref: `${baseUrl}/scim/v2/Groups/${dept.id}`,
      display: dept.name,
      type: 'direct',
    })),
    ...(unit && { [ENTERPRISE_SCHEMA]: { department: unit.name } }),
    meta: {
      resourceType: 'User',
      location: `${baseUrl}/scim/v2/Users/${id}`,
      version: versionOfUser(user),
    },
  };
}
