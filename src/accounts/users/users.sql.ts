import { List } from '../../core/lists/list.sql.ts';
import {
  bool,
  char,
  instantText,
  int4,
  int4s,
  jsonb,
  nullable,
  text,
  texts,
  timestamptz,
  uuid,
} from '../../core/sql/types.ts';
import { statement, type TypedParams } from '../../core/sql/statement.ts';

/** Which users of a domain: all, those with these ids, or those whom a search finds. */
export interface WhichUsers {
  domainId: number;
  ids?: readonly number[] | undefined;
  /** Part of the login or the name, in any case. */
  search?: string | undefined;
  disabled?: boolean | undefined;
}

function conditions({ ids, search, disabled }: WhichUsers, params: TypedParams): string[] {
  const sql: string[] = [];
  if (ids) sql.push(`u.id = ANY (${params.add(int4s, ids)}::int[])`);
  if (search !== undefined) {
    const part = `lower(${params.add(text, search)}::text)`;
    sql.push(`(strpos(u.login, ${part}) > 0 OR strpos(lower(u.display_name), ${part}) > 0)`);
  }
  if (disabled !== undefined) sql.push(`u.disabled_at IS ${disabled ? 'NOT NULL' : 'NULL'}`);
  return sql;
}

/** Users of a domain, ordered by login. */
export const users = new List({
  columns: `u.id, u.login, u.display_name, n.name AS unit, p.name AS profile, u.time_zone_long, u.lang_code, u.default_view, u.disabled_at,
      u.password_hash IS NOT NULL AS has_password, u.one_time_until,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('name', d.name, 'home', ud.is_home) ORDER BY d.name), '[]')
        FROM user_dept ud JOIN dept d ON d.id = ud.dept_id WHERE ud.user_id = u.id) AS departments,
      ARRAY(SELECT permission FROM permission_grant WHERE subject_type = 'USER' AND subject_id = u.id ORDER BY permission) AS permissions`,
  row: {
    id: int4,
    login: text,
    displayName: text,
    unit: nullable(text),
    profile: nullable(text),
    timeZoneLong: nullable(text),
    langCode: text,
    defaultView: char,
    disabledAt: nullable(timestamptz),
    hasPassword: bool,
    oneTimeUntil: nullable(timestamptz),
    departments: jsonb,
    permissions: texts,
  },
  source: (which: WhichUsers, params) =>
    `FROM "user" u LEFT JOIN unit n ON n.id = u.unit_id LEFT JOIN profile p ON p.id = u.profile_id WHERE ${[
      `u.domain_id = ${params.add(int4, which.domainId)}`,
      ...conditions(which, params),
    ].join(' AND ')}`,
  order: [{ name: 'login', sql: 'u.login COLLATE "C"', kind: 'text', descending: false }],
  samples: () => [
    { domainId: 1 },
    { domainId: 1, ids: [1] },
    { domainId: 1, search: 'a', disabled: true },
    { domainId: 1, disabled: false },
  ],
});

/**
 * Has changes of a domain's users happen one after the other, until the end of the transaction; the number is arbitrary. The
 * row of the domain stays free: an import that has changed users writes it at its end.
 */
export const lockDomain = statement({
  text: 'SELECT FROM pg_advisory_xact_lock(4711066, $domainId)',
  params: { domainId: int4 },
  row: {},
});

/** Keeps a user, and sessions and identities of theirs, from being made or changed until the end of the transaction. */
export const holdUser = statement({
  text: 'SELECT id FROM "user" WHERE id = $userId FOR UPDATE',
  params: { userId: int4 },
  row: { id: int4 },
});

/**
 * The users of a domain who are enabled and administrators, by themselves or by their profile, and whether they have a
 * password, where those are in use, or an identity of a provider. The permission stands in the text, because PostgreSQL
 * then knows that few hold it; the sum keeps it from looking at all users of the domain instead.
 */
export const administratorsOf = statement({
  text: `SELECT u.id, $passwords AND u.password_hash IS NOT NULL AND (u.one_time_until IS NULL OR u.one_time_until > $now) OR EXISTS (SELECT FROM user_identity i WHERE i.user_id = u.id) AS can_sign_in
    FROM "user" u WHERE u.id = ANY (ARRAY(SELECT g.subject_id FROM permission_grant g WHERE g.permission = 'DOMAIN_ADMIN' AND g.subject_type = 'USER'
      UNION SELECT m.id FROM permission_grant g JOIN profile p ON p.id = g.subject_id AND p.domain_id = $domainId JOIN "user" m ON m.profile_id = p.id
        WHERE g.permission = 'DOMAIN_ADMIN' AND g.subject_type = 'PROFILE')) AND u.domain_id + 0 = $domainId AND u.disabled_at IS NULL`,
  params: { domainId: int4, now: timestamptz, passwords: bool },
  row: { id: int4, canSignIn: bool },
});

/** A row if a user, enabled or not, is an administrator, by themselves or by their profile. */
export const isAdministrator = statement({
  text: `SELECT permission FROM permission_grant WHERE permission = 'DOMAIN_ADMIN' AND (subject_type = 'USER' AND subject_id = $userId
    OR subject_type = 'PROFILE' AND subject_id = (SELECT profile_id FROM "user" WHERE id = $userId)) LIMIT 1`,
  params: { userId: int4 },
  row: { permission: text },
});

/** A customer, locked until the end of the transaction. */
export const lockCustomer = statement({
  text: 'SELECT domain_id FROM api_customer WHERE customer_id = $customerId FOR UPDATE',
  params: { customerId: text },
  row: { domainId: int4 },
});

/** Sessions of a user that have not ended, the latest first. */
export const sessions = new List({
  columns:
    's.id, s.created_at, s.last_seen_at, least(s.expires_at, s.absolute_expires_at) AS expires_at',
  row: { id: uuid, createdAt: instantText, lastSeenAt: timestamptz, expiresAt: timestamptz },
  source: ({ userId, now }: { userId: number; now: Date }, params) =>
    `FROM session s WHERE s.user_id = ${params.add(int4, userId)} AND s.revoked_at IS NULL
       AND s.expires_at > ${params.add(timestamptz, now)} AND s.absolute_expires_at > ${params.add(timestamptz, now)}`,
  order: [
    { name: 'created', sql: 's.created_at', kind: 'instant', descending: true },
    { name: 'id', sql: 's.id', kind: 'uuid', descending: true },
  ],
  samples: () => [{ userId: 1, now: new Date(0) }],
});
