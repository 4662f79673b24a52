import { z } from 'zod';
import { hashPassword, verifyPassword } from '../../auth/passwords.ts';
import {
  filledText,
  langCodeField,
  loginField,
  nameField,
  permissionsField,
  timeZoneField,
} from '../../core/records/record-fields.ts';
import { writeAuditLog } from '../../core/context/write-audit-log.ts';
import {
  changedIf,
  findDomain,
  oneByOne,
  type Effect,
  type ImportLine,
  type ImportRun,
  type RecordKind,
} from '../../core/records/record-kind.ts';
import { replacePermissions } from './replace-permissions.ts';
import { replaceUserDepts } from './replace-user-depts.ts';

const schema = z
  .strictObject({
    record: z.literal('user'),
    login: loginField.meta({
      description: 'Unique over all domains, because signing in names no domain.',
    }),
    domain: nameField,
    display_name: filledText(200)
      .optional()
      .meta({ description: 'The login when left out for a new user.' }),
    unit: nameField.nullish(),
    profile: nameField.nullish(),
    depts: z
      .array(z.strictObject({ name: nameField, home: z.boolean().optional() }))
      .max(200)
      .optional()
      .meta({ description: 'Replaces the departments of the user.' }),
    time_zone_long: timeZoneField
      .nullish()
      .meta({ description: "The unit's zone when null or left out." }),
    lang_code: langCodeField.optional(),
    default_view: z.enum(['MV', 'DV', 'SV']).optional(),
    password: filledText(256).nullish().meta({
      description:
        'Kept as an argon2id hash. Without one the user gets sessions from the command line only.',
    }),
    permissions: permissionsField.optional(),
    disabled: z.boolean().optional(),
  })
  .meta({ description: 'A person. What is left out stays as it is; null clears.' });

type UserRecord = z.infer<typeof schema>;

/** Import record `user`. */
export const userRecord: RecordKind<UserRecord> = {
  name: 'user',
  schema,
  key: (value) => value.login,
  write: oneByOne(writeUser),
};

async function writeUser(
  { line, value }: ImportLine<UserRecord>,
  run: ImportRun,
): Promise<Effect | undefined> {
  const { db, directory } = run;
  const domainId = findDomain(run, line, value.domain);
  if (domainId === undefined) return undefined;
  const known = directory.user(value.login);
  if (known && known.domainId !== domainId) {
    run.problem(line, 'login', `"${value.login}" belongs to another domain`);
    return undefined;
  }

  const id = (kind: 'unit' | 'profile' | 'dept', name: string, field: string): number | null => {
    const entry = directory.scope(kind, domainId, name);
    if (!entry) run.problem(line, field, `no ${kind} "${name}" in domain "${value.domain}"`);
    return entry?.id ?? null;
  };
  const old = await db.prisma.user.findUnique({ where: { login: value.login } });
  const given = {
    ...(value.display_name !== undefined && { displayName: value.display_name }),
    ...(value.unit !== undefined && {
      unitId: value.unit === null ? null : id('unit', value.unit, 'unit'),
    }),
    ...(value.profile !== undefined && {
      profileId: value.profile === null ? null : id('profile', value.profile, 'profile'),
    }),
    ...(value.time_zone_long !== undefined && { timeZoneLong: value.time_zone_long }),
    ...(value.lang_code !== undefined && { langCode: value.lang_code }),
    ...(value.default_view !== undefined && { defaultView: value.default_view }),
    ...(value.password !== undefined && {
      passwordHash: await hashUnlessSame(value.password, old?.passwordHash ?? null),
      oneTimeUntil: null,
    }),
    ...(value.disabled !== undefined &&
      value.disabled !== Boolean(old?.disabledAt) && {
        disabledAt: value.disabled ? new Date(run.now) : null,
        ...(!value.disabled && { removedAt: null }),
      }),
  };
  const depts = value.depts?.flatMap(({ name, home = false }, index) => {
    const deptId = id('dept', name, `depts[${index}].name`);
    return deptId === null ? [] : { deptId, isHome: home };
  });

  const { id: userId } =
    old ??
    (await db.prisma.user.create({
      data: { domainId, login: value.login, displayName: value.login, ...given },
      select: { id: true },
    }));
  directory.addUser(value.login, { id: userId, domainId });
  const before: Record<string, unknown> = { ...old };
  let changed = Object.entries(given).some(([column, now]) => now !== before[column]);
  if (old && changed)
    await db.prisma.user.update({ where: { id: userId }, data: given, select: { id: true } });
  // For good: enabling the user later, or another new password, does not bring sessions or calendar addresses back.
  const ended = { where: { userId, revokedAt: null }, data: { revokedAt: new Date(run.now) } };
  if (given.disabledAt !== undefined) {
    if (value.disabled) {
      await db.prisma.session.updateMany(ended);
      await db.prisma.calendarSubscription.updateMany(ended);
    }
    await note(run, value.disabled ? 'disableUser' : 'enableUser', { userId, domainId });
  }
  if (old && given.passwordHash !== undefined && given.passwordHash !== old.passwordHash) {
    await db.prisma.session.updateMany(ended);
    await note(run, 'setPassword', { userId, domainId });
  }
  if (depts) changed = (await replaceUserDepts(db, userId, depts)) || changed;
  if (value.permissions) {
    const subject = { subjectType: 'USER', subjectId: userId } as const;
    changed = (await replacePermissions(db, subject, value.permissions)) || changed;
  }
  return old ? changedIf(changed) : 'new';
}

async function note(
  { db, now }: ImportRun,
  action: string,
  { userId, domainId }: { userId: number; domainId: number },
): Promise<void> {
  const at = new Date(now);
  const user = { domainId, objects: [`User:${userId}`], target: `user:${userId}` };
  await writeAuditLog(db, { actor: 'operator', surface: 'IMPORT', action, ...user, at });
}

/**
 * Keeps the hash of an unchanged password: a new hash would have a new salt, but importing the same file again must
 * change nothing.
 */
async function hashUnlessSame(
  password: string | null,
  oldHash: string | null,
): Promise<string | null> {
  if (password === null) return null;
  return oldHash !== null && (await verifyPassword(oldHash, password))
    ? oldHash
    : hashPassword(password);
}
