import { statement } from '../../core/sql/statement.ts';
import { bool, int4, int8, jsonb, nullable, text, timestamptz } from '../../core/sql/types.ts';

/** Rows of the log that are deleted at once. */
export const PRUNED_AT_ONCE = 5_000;

/** Records a mark, if the log has grown since the last one. */
export const markLog = statement({
  text: 'SELECT true AS done FROM change_log_mark()',
  params: {},
  row: { done: bool },
});

/** Notifies those who follow the log at the commit. */
export const announceChanges = statement({
  text: 'SELECT true AS done FROM change_log_announce()',
  params: {},
  row: { done: bool },
});

/** Starts the log anew if another server wrote it. */
export const checkLog = statement({
  text: 'SELECT change_log_check() AS is_new',
  params: {},
  row: { isNew: bool },
});

/** The last mark of at least that age. */
export const markOfDays = statement({
  text: `SELECT at, snapshot FROM change_mark WHERE at <= clock_timestamp() - $days::int * interval '1 day' ORDER BY at DESC, id DESC LIMIT 1`,
  params: { days: int4 },
  row: { at: timestamptz, snapshot: text },
});

/** The log is complete from this transaction on, and for that many days. */
export const moveHorizon = statement({
  text: `UPDATE change_log_state SET horizon_xid = $horizon, started_at = coalesce(started_at, clock_timestamp() - $days::int * interval '1 day')
    WHERE horizon_xid < $horizon`,
  params: { horizon: int8, days: int4 },
  row: {},
});

/** Deletes rows below the horizon, in the order of the index: else a domain with many rows above it was read as a whole. */
export const pruneSome = statement({
  text: `DELETE FROM change_log WHERE ctid = ANY (ARRAY(SELECT c.ctid FROM domain d
      CROSS JOIN LATERAL (SELECT ctid FROM change_log c WHERE c.domain_id = d.id AND c.xid < $horizon ORDER BY c.xid, c.seq LIMIT ${PRUNED_AT_ONCE}) c LIMIT ${PRUNED_AT_ONCE})) RETURNING seq`,
  params: { horizon: int8 },
  row: { seq: int8 },
});

/** Until when overdue feeds are logged. */
export const sweptUntil = statement({
  text: 'SELECT swept_until FROM change_log_state',
  params: {},
  row: { sweptUntil: nullable(timestamptz) },
});

/**
 * Logs the feeds that became overdue in a time and their parents. Reads a range of feed.end_at for each configured span,
 * and so only the feeds that became overdue.
 */
export const logOverdue = statement({
  text: `WITH span AS (
      SELECT DISTINCT CASE WHEN jsonb_typeof(value) = 'number' THEN round((value #>> '{}')::numeric) ELSE 0 END AS days FROM config_entry WHERE key = 'overdue_date_span'
      UNION SELECT 0
    ), crossed AS (
      SELECT f.domain_id, f.feed_key, f.parent_feed_key FROM span CROSS JOIN LATERAL (
        SELECT * FROM feed f WHERE f.end_at >= $from::timestamptz - span.days * interval '1 day' AND f.end_at < $until::timestamptz - span.days * interval '1 day'
          AND f.status IN ('N', 'R', 'P') AND f.deleted_at IS NULL) f
      WHERE span.days BETWEEN 0 AND 36500
    ), logged AS (
      INSERT INTO change_log (domain_id, feed_key, op)
      SELECT domain_id, feed_key, 'U' FROM crossed UNION SELECT domain_id, parent_feed_key, 'U' FROM crossed WHERE parent_feed_key IS NOT NULL
      RETURNING seq
    ) SELECT count(*) AS rows FROM logged`,
  params: { from: timestamptz, until: timestamptz },
  row: { rows: int8 },
});

/** Notes until when overdue feeds are logged; by SQL for the same reason as `pollingIntervals`. */
export const noteSweep = statement({
  text: 'UPDATE change_log_state SET swept_until = greatest(swept_until, $until)',
  params: { until: timestamptz },
  row: {},
});

/**
 * How often clients are told to poll, and the longest interval of their domain. By SQL, because every start reads it: a
 * gateway that only serves lists does not load Prisma's client.
 */
export const pollingIntervals = statement({
  text: `SELECT r.scope, r.scope_id, r.value AS rate, m.value AS longest FROM config_entry r
    LEFT JOIN config_entry m ON r.scope = 'DOMAIN' AND m.scope = r.scope AND m.scope_id = r.scope_id AND m.key = 'max_refresh_interval'
    WHERE r.key = 'feed_refresh_rate'`,
  params: {},
  row: { scope: text, scopeId: int4, rate: jsonb, longest: nullable(jsonb) },
});
