-- Lists of feeds that are addressed to departments and units are counted as those of departments and stores are. But a feed may be in several of them: its rows are
-- marked, so that a count finds those that it has counted twice.

-- Waits for all who write lists, so what they wrote under the functions before is there when steps count it.
ALTER TABLE "feed_listing" ADD COLUMN "shared" BOOLEAN NOT NULL DEFAULT false;

-- Its plan is for any number of keys: it joins by hashing, since nested loops took seconds for a thousand feeds. What PostgreSQL would compile because they are forbidden
-- takes longer than all of it. A mark stays while the row does: where two transactions change a feed's lists at once, one may not see why it is there.
CREATE OR REPLACE FUNCTION "feed_listing_refresh"(keys bigint[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_nestloop = off SET jit = off AS $$
BEGIN
  WITH touched AS MATERIALIZED (
    SELECT feed_key, kind, parent_feed_key, owner_user_id, dept_id, unit_id, start_at, end_at, priority, profile_id, feed_type_id, title_fold, status, is_confidential, deleted_at
    FROM feed WHERE feed_key = ANY (keys)
  ), assigned AS MATERIALIZED (
    SELECT feed_key, user_id, dept_id, unit_id FROM feed_assignment WHERE feed_key = ANY (keys)
  ), reach AS MATERIALIZED (
    SELECT 1 AS audience, owner_user_id AS subject_id, feed_key FROM touched WHERE owner_user_id IS NOT NULL
    UNION SELECT 1, user_id, feed_key FROM assigned WHERE user_id IS NOT NULL
    UNION SELECT 1, user_id, feed_key FROM feed_user_state WHERE feed_key = ANY (keys) AND (follow OR watched)
    UNION SELECT 2, dept_id, feed_key FROM assigned WHERE dept_id IS NOT NULL
    UNION SELECT 3, unit_id, feed_key FROM assigned WHERE unit_id IS NOT NULL
    UNION SELECT 4, dept_id, feed_key FROM touched WHERE dept_id IS NOT NULL
    UNION SELECT 5, unit_id, feed_key FROM touched WHERE unit_id IS NOT NULL
  ), wanted AS MATERIALIZED (
    SELECT (reach.audience * 10 + shown.rows)::smallint AS list, reach.subject_id, f.feed_key,
      coalesce(f.end_at, '9999-12-31 23:59:59+00') AS end_sort,
      coalesce(f.start_at, '9999-12-31 23:59:59+00') AS start_sort,
      coalesce(f.priority, 2147483647) AS priority_sort,
      coalesce(f.profile_id, 2147483647) AS profile_sort,
      coalesce(f.feed_type_id, U&'\+10FFFF') AS feed_type_sort,
      left(f.title_fold, 400) AS title_sort,
      f.status,
      CASE WHEN f.is_confidential THEN coalesce(f.dept_id, 0) END AS confidential_dept,
      reach.audience IN (2, 3) AND count(*) FILTER (WHERE reach.audience IN (2, 3)) OVER (PARTITION BY f.feed_key, shown.rows) > 1 AS shared
    FROM touched f
    JOIN reach USING (feed_key)
    JOIN (VALUES ('PROJECT', true, 0), ('PROJECT', false, 0), ('MESSAGE', true, 0), ('MESSAGE', false, 0),
                 ('TASK', true, 0), ('TASK', true, 1), ('TASK', false, 1), ('WALK', true, 2), ('WALK', false, 2))
      AS shown (kind, orphan, rows) ON shown.kind = f.kind AND shown.orphan = (f.parent_feed_key IS NULL)
    WHERE f.deleted_at IS NULL
  ), stale AS (
    DELETE FROM feed_listing l WHERE l.feed_key = ANY (keys)
      AND NOT EXISTS (SELECT FROM wanted w WHERE w.list = l.list AND w.subject_id = l.subject_id AND w.feed_key = l.feed_key)
  )
  INSERT INTO feed_listing AS l
    (list, subject_id, feed_key, end_sort, start_sort, priority_sort, profile_sort, feed_type_sort, title_sort, status, confidential_dept, shared)
  SELECT * FROM wanted
  ON CONFLICT (list, subject_id, feed_key) DO UPDATE SET
    end_sort = excluded.end_sort, start_sort = excluded.start_sort, priority_sort = excluded.priority_sort,
    profile_sort = excluded.profile_sort, feed_type_sort = excluded.feed_type_sort, title_sort = excluded.title_sort,
    status = excluded.status, confidential_dept = excluded.confidential_dept, shared = l.shared OR excluded.shared
  WHERE (l.end_sort, l.start_sort, l.priority_sort, l.profile_sort, l.feed_type_sort, l.title_sort, l.status, l.confidential_dept, l.shared)
    IS DISTINCT FROM (excluded.end_sort, excluded.start_sort, excluded.priority_sort, excluded.profile_sort,
      excluded.feed_type_sort, excluded.title_sort, excluded.status, excluded.confidential_dept, l.shared OR excluded.shared);
END $$;

CREATE OR REPLACE FUNCTION "feed_count_added"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM fresh) THEN RETURN NULL; END IF;
  INSERT INTO feed_count_delta (list, subject_id, starts_on, ends_on, priority_sort, confidential_dept, n)
  SELECT list, subject_id, feed_first_day(start_sort, end_sort), feed_last_day(start_sort, end_sort), priority_sort, coalesce(confidential_dept, -1), count(*)
  FROM fresh WHERE list >= 20 GROUP BY 1, 2, 3, 4, 5, 6;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "feed_count_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO feed_count_delta (list, subject_id, starts_on, ends_on, priority_sort, confidential_dept, n)
  SELECT list, subject_id, feed_first_day(start_sort, end_sort), feed_last_day(start_sort, end_sort), priority_sort, coalesce(confidential_dept, -1), sum(n)
  FROM (
    SELECT list, subject_id, start_sort, end_sort, priority_sort, confidential_dept, 1 AS n FROM fresh WHERE list >= 20
    UNION ALL SELECT list, subject_id, start_sort, end_sort, priority_sort, confidential_dept, -1 FROM prior WHERE list >= 20) c
  GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(n) <> 0;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "feed_count_removed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM prior) THEN RETURN NULL; END IF;
  INSERT INTO feed_count_delta (list, subject_id, starts_on, ends_on, priority_sort, confidential_dept, n)
  SELECT list, subject_id, feed_first_day(start_sort, end_sort), feed_last_day(start_sort, end_sort), priority_sort, coalesce(confidential_dept, -1), -count(*)
  FROM prior WHERE list >= 20 GROUP BY 1, 2, 3, 4, 5, 6;
  RETURN NULL;
END $$;

-- Counts all that is listed anew, whatever the counters say, and marks it; nobody writes to lists meanwhile. For whoever changed lists with triggers switched off.
CREATE OR REPLACE FUNCTION "feed_count_rebuild"() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE feed_listing IN SHARE ROW EXCLUSIVE MODE;
  -- That of feed_count_fold, which may be at it. No TRUNCATE: who counts meanwhile would find nothing.
  PERFORM pg_advisory_xact_lock(4711062);
  UPDATE feed_listing l SET shared = true FROM (
    SELECT feed_key, list % 10 AS rows FROM feed_listing WHERE list BETWEEN 20 AND 39 GROUP BY 1, 2 HAVING count(*) > 1) several
  WHERE l.feed_key = several.feed_key AND l.list % 10 = several.rows AND l.list BETWEEN 20 AND 39 AND NOT l.shared;
  DELETE FROM feed_count_delta;
  DELETE FROM feed_count;
  INSERT INTO feed_count
  SELECT list, subject_id, 'D', d.day, priority_sort, coalesce(confidential_dept, -1), sum(d.starts), sum(d.ends)
  FROM feed_listing
  CROSS JOIN LATERAL (VALUES (feed_first_day(start_sort, end_sort), 1, 0), (feed_last_day(start_sort, end_sort), 0, 1)) d (day, starts, ends)
  WHERE list >= 20
  GROUP BY 1, 2, 4, 5, 6;
  INSERT INTO feed_count
  SELECT list, subject_id, p.level, p.period, priority_sort, confidential_dept, sum(starts), sum(ends)
  FROM feed_count c
  CROSS JOIN LATERAL (VALUES ('M', date_trunc('month', c.period::timestamp)::date), ('Y', date_trunc('year', c.period::timestamp)::date)) p (level, period)
  GROUP BY 1, 2, 3, 4, 5, 6;
END $$;
