import { statement } from '../core/sql/statement.ts';
import {
  arrayOf,
  bool,
  bytea,
  byteaText,
  char,
  float8,
  int4,
  nullable,
  text,
  timestamptz,
  uuid,
  uuids,
} from '../core/sql/types.ts';

/** Places that are remembered of a user, the latest ones. */
const MOST_PLACES = 20;

/**
 * Which coming of a domain `d` from elsewhere this is, as the end of a name; empty where it has never come. With a domain that is
 * brought back from an export, numbers come again that have stood for something else here.
 */
export const ARRIVAL = `coalesce('.' || left(md5(d.arrival || ' ' || extract(epoch FROM d.arrived_at)), 8), '')`;

/** Over `u` (user), `d` (domain) and `n` (unit). Departments that are no home are negative. */
const USER = `u.id AS user_id, u.login, u.display_name, u.domain_id, u.unit_id, u.profile_id,
    coalesce(u.time_zone_long, n.time_zone, 'UTC') AS time_zone, u.lang_code, d.config_version || ${ARRIVAL} AS config_version, d.state AS domain_state,
    ARRAY(SELECT CASE WHEN is_home THEN dept_id ELSE -dept_id END FROM user_dept WHERE user_id = u.id ORDER BY dept_id) AS memberships,
    array_to_string(ARRAY(SELECT permission FROM permission_grant
      WHERE (subject_type = 'USER' AND subject_id = u.id) OR (subject_type = 'PROFILE' AND subject_id = u.profile_id)), ',') AS permissions`;

const user = {
  userId: int4,
  login: text,
  displayName: text,
  domainId: int4,
  unitId: nullable(int4),
  profileId: nullable(int4),
  timeZone: text,
  langCode: text,
  configVersion: text,
  domainState: text,
  memberships: arrayOf(int4),
  permissions: text,
};

/** Sessions by the hashes of their tokens, on every request. */
export const liveSessions = statement({
  text: `SELECT s.id AS session_id, s.current_view, s.last_seen_at, s.expires_at, s.absolute_expires_at, s.written_lsn, ${USER}, s.token_hash
    FROM session s JOIN "user" u ON u.id = s.user_id JOIN domain d ON d.id = u.domain_id LEFT JOIN unit n ON n.id = u.unit_id
    WHERE s.token_hash = ANY ($tokenHashes) AND s.revoked_at IS NULL AND s.expires_at > $now AND s.absolute_expires_at > $now AND u.disabled_at IS NULL`,
  params: { tokenHashes: arrayOf(byteaText), now: timestamptz },
  row: {
    sessionId: uuid,
    currentView: char,
    lastSeenAt: timestamptz,
    expiresAt: timestamptz,
    absoluteExpiresAt: timestamptz,
    writtenLsn: float8,
    ...user,
    tokenHash: byteaText,
  },
});

/**
 * Extends sessions that are in use; by SQL, because Prisma's client is not loaded for it. One that somebody else is
 * changing is left to the next use, so that gateways never wait for each other. It ends none earlier: see mayTell.
 */
export const extendSessions = statement({
  text: `UPDATE session s SET last_seen_at = $now, expires_at = GREATEST(s.expires_at, LEAST($expiresAt, s.absolute_expires_at))
    FROM (SELECT id FROM session WHERE id = ANY ($sessionIds) AND last_seen_at < $seenBefore FOR NO KEY UPDATE SKIP LOCKED) used WHERE s.id = used.id`,
  params: {
    now: timestamptz,
    seenBefore: timestamptz,
    expiresAt: timestamptz,
    sessionIds: uuids,
  },
  row: {},
});

/** A user without a session. */
export const enabledUser = statement({
  text: `SELECT u.default_view, ${USER}
    FROM "user" u JOIN domain d ON d.id = u.domain_id LEFT JOIN unit n ON n.id = u.unit_id WHERE u.id = $userId AND u.disabled_at IS NULL`,
  params: { userId: int4 },
  row: { defaultView: char, ...user },
});

/** API keys by the eight characters that name them, on every request of a customer. */
export const liveApiKeys = statement({
  text: `SELECT k.id AS key_id, k.key_hash, k.last_used_at, c.customer_id, c.domain_id, d.state AS domain_state
    FROM api_key k JOIN api_customer c ON c.customer_id = k.customer_id JOIN domain d ON d.id = c.domain_id
    WHERE k.prefix = $prefix AND c.customer_id = $customerId AND k.revoked_at IS NULL AND coalesce(k.expires_at > $now, true) AND c.disabled_at IS NULL`,
  params: { prefix: char, customerId: text, now: timestamptz },
  row: {
    keyId: uuid,
    keyHash: bytea,
    lastUsedAt: nullable(timestamptz),
    customerId: text,
    domainId: int4,
    domainState: text,
  },
});

/** SCIM tokens by the eight characters that name them, on every request of a directory. */
export const liveScimTokens = statement({
  text: `SELECT s.id AS token_id, s.token_hash, s.last_used_at, s.domain_id, d.state AS domain_state FROM scim_token s JOIN domain d ON d.id = s.domain_id
    WHERE s.prefix = $prefix AND s.revoked_at IS NULL AND coalesce(s.expires_at > $now, true)`,
  params: { prefix: char, now: timestamptz },
  row: {
    tokenId: uuid,
    tokenHash: bytea,
    lastUsedAt: nullable(timestamptz),
    domainId: int4,
    domainState: text,
  },
});

/** Did a session of this login have that token, and did the user sign in from there since? */
export const standingOf = statement({
  text: `SELECT EXISTS (SELECT FROM session s WHERE s.user_id = u.id AND s.token_hash = $tokenHash) AS device,
      EXISTS (SELECT FROM sign_in_place p WHERE p.user_id = u.id AND p.network = $network AND p.seen_at > $since) AS place
    FROM "user" u WHERE u.login = $login`,
  params: { login: text, tokenHash: nullable(bytea), network: bytea, since: timestamptz },
  row: { device: bool, place: bool },
});

/** Notes where a user signed in, and forgets the oldest place beyond MOST_PLACES. */
export const rememberPlace = statement({
  text: `WITH oldest AS (DELETE FROM sign_in_place WHERE user_id = $userId AND network IN
      (SELECT network FROM sign_in_place WHERE user_id = $userId AND network <> $network ORDER BY seen_at DESC OFFSET ${MOST_PLACES - 1}))
    INSERT INTO sign_in_place (user_id, network, seen_at) VALUES ($userId, $network, $seenAt)
    ON CONFLICT (user_id, network) DO UPDATE SET seen_at = excluded.seen_at`,
  params: { userId: int4, network: bytea, seenAt: timestamptz },
  row: {},
});

/**
 * Keeps a user from being changed until the end of the transaction. No row for a disabled user, or one whose password is
 * not the proved one any more.
 */
export const lockUser = statement({
  text: `SELECT id FROM "user" WHERE id = $userId AND disabled_at IS NULL
    AND ($provedBy::text IS NULL OR password_hash = $provedBy) FOR SHARE`,
  params: { userId: int4, provedBy: nullable(text) },
  row: { id: int4 },
});

/** Has a user's own objects made one after the other, and none once the user is disabled: there is no row then. */
export const holdViewer = statement({
  text: 'SELECT id FROM "user" WHERE id = $userId AND disabled_at IS NULL FOR NO KEY UPDATE',
  params: { userId: int4 },
  row: { id: int4 },
});
