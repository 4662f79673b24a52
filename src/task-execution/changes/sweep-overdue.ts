import type { Services } from '../../core/context/context.ts';

/** Any constant: one gateway sweeps at a time. */
const SWEEP_LOCK = 4_711_002;

/**
 * Logs the feeds that became overdue since the last sweep, for nobody writes to them at that moment (D-50), and the feeds above, which count them. The days that
 * a feed may be late are configured at six scopes: a feed is logged at the crossing of every value that is configured anywhere. Returns how many rows were logged.
 */
export async function sweepOverdue(services: Pick<Services, 'db' | 'clock'>): Promise<number> {
  return services.db.transaction(async (client) => {
    const { rows } = await client.query<{ mine: boolean }>(
      'SELECT pg_try_advisory_xact_lock($1) AS mine',
      [SWEEP_LOCK],
    );
    if (!rows[0]?.mine) return 0;
    const now = new Date(services.clock());
    const logged = await client.query(SWEEP, [now]);
    await client.query(
      'UPDATE change_log_state SET swept_until = $1 WHERE swept_until IS NULL OR swept_until < $1',
      [now],
    );
    if (logged.rowCount) await client.query('SELECT change_log_announce()');
    return logged.rowCount ?? 0;
  });
}

/** The first sweep only remembers its time. Ranges over feed.end_at for each span, so that a sweep reads what crossed and no more. */
const SWEEP = `
  WITH span AS (
    SELECT DISTINCT CASE WHEN jsonb_typeof(value) = 'number' THEN round((value #>> '{}')::numeric) ELSE 0 END AS days FROM config_entry WHERE key = 'overdue_date_span'
    UNION SELECT 0
  ), crossed AS (
    SELECT f.domain_id, f.feed_key, f.parent_feed_key FROM change_log_state s CROSS JOIN span CROSS JOIN LATERAL (
      SELECT * FROM feed f WHERE f.end_at >= s.swept_until - span.days * interval '1 day' AND f.end_at < $1::timestamptz - span.days * interval '1 day'
        AND f.status IN ('N', 'R', 'P') AND f.deleted_at IS NULL) f
    WHERE span.days BETWEEN 0 AND 36500
  )
  INSERT INTO change_log (domain_id, feed_key, op)
  SELECT domain_id, feed_key, 'U' FROM crossed UNION SELECT domain_id, parent_feed_key, 'U' FROM crossed WHERE parent_feed_key IS NOT NULL`;
