import * as z from 'zod';
import type { Database } from '../../core/database/db.ts';
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
  type Effect,
  type ImportLine,
  type ImportRun,
  type RecordKind,
} from '../../core/records/record-kind.ts';
import { inGroups } from '../../core/records/in-groups.ts';
import { replacePermissions } from './replace-permissions.ts';
import { replaceUserDepts, type Membership } from './replace-user-depts.ts';

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
  write: async (batch, run) => {
    const effects: Effect[] = [];
    for (const some of inGroups(batch)) effects.push(...(await writeUsers(some, run)));
    return effects;
  },
};

type StoredUser = Awaited<ReturnType<Database['prisma']['user']['findMany']>>[number];

/** What a record makes of a user; `old` is the user as stored. */
interface Planned {
  line: number;
  value: UserRecord;
  domainId: number;
  old: StoredUser | undefined;
  given: Awaited<ReturnType<typeof readGiven>>;
  depts: readonly Membership[] | undefined;
}

/** Reads and creates some users at once, as well as their departments and permissions. */
async function writeUsers(
  batch: readonly ImportLine<UserRecord>[],
  run: ImportRun,
): Promise<Effect[]> {
  const { db, directory } = run;
  const logins = batch.map(({ value }) => value.login);
  const stored = await db.prisma.user.findMany({ where: { login: { in: logins } } });
  const byLogin = new Map(stored.map((user) => [user.login, user]));
  const users: Planned[] = [];
  for (const entry of batch) {
    const user = await planUser(entry, run, byLogin.get(entry.value.login));
    if (user) users.push(user);
  }
  const created = await db.prisma.user.createManyAndReturn({
    data: users.flatMap(({ value: { login }, domainId, old, given }) =>
      old ? [] : [{ domainId, login, displayName: login, ...given }],
    ),
    select: { id: true, login: true, domainId: true },
    skipDuplicates: true,
  });
  for (const { id, login, domainId } of [...stored, ...created])
    directory.addUser(login, { id, domainId });
  const changed = new Set<number>();
  const depts = new Map<number, readonly Membership[]>();
  const permissions = new Map<number, readonly string[]>();
  const ids = new Map([...stored, ...created].map(({ id, login }) => [login, id]));
  const saved = users.flatMap((user) => {
    const userId = ids.get(user.value.login);
    if (userId !== undefined) return { ...user, userId };
    run.problem(user.line, 'login', 'was taken meanwhile: import the file again');
    return [];
  });
  for (const user of saved) {
    const { userId, value } = user;
    if (await writeGiven(user, run)) changed.add(userId);
    if (user.depts) depts.set(userId, user.depts);
    if (value.permissions) permissions.set(userId, value.permissions);
  }
  for (const userId of await replaceUserDepts(db, depts)) changed.add(userId);
  for (const userId of await replacePermissions(db, 'USER', permissions)) changed.add(userId);
  return saved.map(({ old, userId }) => (old ? changedIf(changed.has(userId)) : 'new'));
}

async function planUser(
  { line, value }: ImportLine<UserRecord>,
  run: ImportRun,
  old: StoredUser | undefined,
): Promise<Planned | undefined> {
  const domainId = findDomain(run, line, value.domain);
  if (domainId === undefined) return undefined;
  if (old && old.domainId !== domainId) {
    run.problem(line, 'login', `"${value.login}" belongs to another domain`);
    return undefined;
  }
  const id = (kind: 'unit' | 'profile' | 'dept', name: string, field: string): number | null => {
    const entry = run.directory.scope(kind, domainId, name);
    if (!entry) run.problem(line, field, `no ${kind} "${name}" in domain "${value.domain}"`);
    return entry?.id ?? null;
  };
  const given = await readGiven(value, old, run.now, id);
  const depts = value.depts?.flatMap(({ name, home = false }, index) => {
    const deptId = id('dept', name, `depts[${index}].name`);
    return deptId === null ? [] : { deptId, isHome: home };
  });
  return { line, value, domainId, old, given, depts };
}

/** The columns that a record gives. */
async function readGiven(
  value: UserRecord,
  old: StoredUser | undefined,
  now: number,
  id: (kind: 'unit' | 'profile', name: string, field: string) => number | null,
) {
  return {
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
        disabledAt: value.disabled ? new Date(now) : null,
        ...(!value.disabled && { removedAt: null }),
      }),
  };
}

/** Writes the columns of a user who is stored already, and what follows from them; returns whether a column changed. */
async function writeGiven(
  { value, domainId, old, given, userId }: Planned & { userId: number },
  run: ImportRun,
): Promise<boolean> {
  const { prisma } = run.db;
  const before: Record<string, unknown> = { ...old };
  // Only these: who changed another column meanwhile is not undone.
  const changed = Object.entries(given).filter(([column, now]) => now !== before[column]);
  if (old && changed.length > 0)
    await prisma.user.update({
      where: { id: userId },
      data: Object.fromEntries(changed),
      select: { id: true },
    });
  // For good: enabling the user later, or another new password, does not bring sessions or calendar addresses back.
  const ended = { where: { userId, revokedAt: null }, data: { revokedAt: new Date(run.now) } };
  if (given.disabledAt !== undefined) {
    if (value.disabled) {
      await prisma.session.updateMany(ended);
      await prisma.calendarSubscription.updateMany(ended);
    }
    await note(run, value.disabled ? 'disableUser' : 'enableUser', { userId, domainId });
  }
  if (old && given.passwordHash !== undefined && given.passwordHash !== old.passwordHash) {
    await prisma.session.updateMany(ended);
    await note(run, 'setPassword', { userId, domainId });
  }
  return changed.length > 0;
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
