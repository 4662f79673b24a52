import { z } from 'zod';
import { hashPassword, verifyPassword } from '../../auth/passwords.ts';
import {
  filledText,
  loginField,
  nameField,
  permissionsField,
  text,
  timeZoneField,
} from '../../core/records/record-fields.ts';
import { writeAuditLog } from '../../core/context/write-audit-log.ts';
import { findDomain, type ImportRun, type RecordKind } from '../../core/records/record-kind.ts';
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
    lang_code: text(35)
      .regex(/^[A-Za-z0-9-]+$/, 'expected a language code such as en')
      .optional(),
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
  async write(batch, run) {
    for (const { line, value } of batch) await writeUser(line, value, run);
  },
};

async function writeUser(line: number, value: UserRecord, run: ImportRun): Promise<void> {
  const { client, directory } = run;
  const domainId = findDomain(run, line, value.domain);
  if (domainId === undefined) return;
  const known = directory.user(value.login);
  if (known && known.domainId !== domainId)
    return run.problem(line, 'login', `"${value.login}" belongs to another domain`);

  const id = (
    kind: 'unit' | 'profile' | 'dept',
    name: string,
    field: string,
  ): number | undefined => {
    const entry = directory.scope(kind, domainId, name);
    if (!entry) run.problem(line, field, `no ${kind} "${name}" in domain "${value.domain}"`);
    return entry?.id;
  };
  const given: Record<string, unknown> = { domain_id: domainId, login: value.login };
  if (value.display_name !== undefined) given.display_name = value.display_name;
  if (value.unit !== undefined)
    given.unit_id = value.unit === null ? null : id('unit', value.unit, 'unit');
  if (value.profile !== undefined)
    given.profile_id = value.profile === null ? null : id('profile', value.profile, 'profile');
  if (value.time_zone_long !== undefined) given.time_zone_long = value.time_zone_long;
  if (value.lang_code !== undefined) given.lang_code = value.lang_code;
  if (value.default_view !== undefined) given.default_view = value.default_view;
  const old = await client.query<{ password_hash: string | null; disabled_at: Date | null }>(
    'SELECT password_hash, disabled_at FROM "user" WHERE login = $1',
    [value.login],
  );
  if (value.password !== undefined)
    given.password_hash = await hashUnlessSame(value.password, old.rows[0]?.password_hash ?? null);
  if (value.disabled !== undefined && value.disabled !== Boolean(old.rows[0]?.disabled_at))
    given.disabled_at = value.disabled ? new Date(run.now) : null;
  const depts = value.depts?.map((dept, index) => ({
    dept_id: id('dept', dept.name, `depts[${index}].name`),
    is_home: dept.home ?? false,
  }));

  const { rows } = await client.query<{ id: number }>(UPSERT, [JSON.stringify(given), value.login]);
  for (const row of rows) directory.addUser(value.login, { id: row.id, domainId });
  const user = directory.user(value.login);
  if (!user) return;
  if (given.disabled_at !== undefined) await noteDisabling(run, user.id, value.disabled === true);
  if (depts?.every((dept) => dept.dept_id !== undefined))
    await replaceUserDepts(client, user.id, depts);
  if (value.permissions) await replacePermissions(client, 'USER', user.id, value.permissions);
}

/** Whoever is disabled is signed out for good: sessions do not come back with the user. */
async function noteDisabling(
  { client, now }: ImportRun,
  userId: number,
  disabled: boolean,
): Promise<void> {
  const at = new Date(now);
  if (disabled)
    await client.query(
      'UPDATE session SET revoked_at = $2 WHERE user_id = $1 AND revoked_at IS NULL',
      [userId, at],
    );
  await writeAuditLog(client, {
    actor: 'operator',
    action: disabled ? 'disableUser' : 'enableUser',
    target: `user:${userId}`,
    at,
  });
}

/** A new hash would have a new salt: importing the same file again has to change nothing. */
async function hashUnlessSame(
  password: string | null,
  oldHash: string | null,
): Promise<string | null> {
  if (password === null) return null;
  return oldHash !== null && (await verifyPassword(oldHash, password))
    ? oldHash
    : hashPassword(password);
}

const COLUMNS =
  'domain_id, login, display_name, unit_id, profile_id, time_zone_long, lang_code, default_view, password_hash, disabled_at';
const EXCLUDED = COLUMNS.replaceAll(/(\w+)/g, 'excluded.$1');

const UPSERT = `
  INSERT INTO "user" AS u (${COLUMNS})
  SELECT ${COLUMNS.replaceAll(/(\w+)/g, 'r.$1')}
  FROM (SELECT (SELECT o FROM "user" o WHERE o.login = $2) AS row) old
  CROSS JOIN LATERAL jsonb_populate_record(
    coalesce(old.row, jsonb_populate_record(NULL::"user", jsonb_build_object('display_name', $2::text, 'lang_code', 'en', 'default_view', 'MV'))), $1::jsonb) r
  ON CONFLICT (login) DO UPDATE SET (${COLUMNS}) = ROW(${EXCLUDED})
  WHERE (${COLUMNS.replaceAll(/(\w+)/g, 'u.$1')}) IS DISTINCT FROM (${EXCLUDED})
  RETURNING id`;
