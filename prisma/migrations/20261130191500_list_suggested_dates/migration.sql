-- The calendar of suggested dates looked through a whole list for the few projects that have one: 50 ms for 47,000 feeds, and more with each. Those projects get lists of
-- their own, whose start and end are the dates that the calendar shows: the suggested ones (from midnight UTC), or the project's own where only the other is suggested.
CREATE OR REPLACE FUNCTION "feed_listing_refresh"(keys bigint[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_nestloop = off SET jit = off AS $$
BEGIN
  WITH touched AS MATERIALIZED (
    SELECT feed_key, kind, parent_feed_key, owner_user_id, dept_id, unit_id, start_at, end_at, priority, profile_id, feed_type_id, title_fold, status, is_confidential, deleted_at,
      to_date(sugg_start_date, 'YYYYMMDD')::timestamp AT TIME ZONE 'UTC' AS sugg_start, to_date(sugg_end_date, 'YYYYMMDD')::timestamp AT TIME ZONE 'UTC' AS sugg_end
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
      CASE WHEN shown.rows = 3 THEN coalesce(f.sugg_end, greatest(coalesce(f.end_at, f.start_at), f.sugg_start)) ELSE coalesce(f.end_at, '9999-12-31 23:59:59+00') END AS end_sort,
      CASE WHEN shown.rows = 3 THEN coalesce(f.sugg_start, least(coalesce(f.start_at, f.end_at), f.sugg_end)) ELSE coalesce(f.start_at, '9999-12-31 23:59:59+00') END AS start_sort,
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
                 ('TASK', true, 0), ('TASK', true, 1), ('TASK', false, 1), ('WALK', true, 2), ('WALK', false, 2), ('PROJECT', true, 3), ('PROJECT', false, 3))
      AS shown (kind, orphan, rows) ON shown.kind = f.kind AND shown.orphan = (f.parent_feed_key IS NULL)
    WHERE f.deleted_at IS NULL AND (shown.rows <> 3 OR coalesce(f.sugg_start, f.sugg_end) IS NOT NULL)
  ), stale AS (
    DELETE FROM feed_listing l WHERE l.feed_key = ANY (keys)
      AND NOT EXISTS (SELECT FROM wanted w WHERE w.list = l.list AND w.subject_id = l.subject_id AND w.feed_key = l.feed_key)
  )
  INSERT INTO feed_listing AS l
    (list, subject_id, feed_key, end_sort, start_sort, priority_sort, profile_sort, feed_type_sort, title_sort, status, confidential_dept, shared)
  SELECT * FROM wanted ORDER BY list, subject_id, end_sort, feed_key
  ON CONFLICT (list, subject_id, feed_key) DO UPDATE SET
    end_sort = excluded.end_sort, start_sort = excluded.start_sort, priority_sort = excluded.priority_sort,
    profile_sort = excluded.profile_sort, feed_type_sort = excluded.feed_type_sort, title_sort = excluded.title_sort,
    status = excluded.status, confidential_dept = excluded.confidential_dept, shared = l.shared OR excluded.shared
  WHERE (l.end_sort, l.start_sort, l.priority_sort, l.profile_sort, l.feed_type_sort, l.title_sort, l.status, l.confidential_dept, l.shared)
    IS DISTINCT FROM (excluded.end_sort, excluded.start_sort, excluded.priority_sort, excluded.profile_sort,
      excluded.feed_type_sort, excluded.title_sort, excluded.status, excluded.confidential_dept, l.shared OR excluded.shared);
END $$;

-- As before; a feed whose suggested dates change gets into its lists, or out of them.
CREATE OR REPLACE FUNCTION "feed_updated"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF feed_bulk_load() THEN RETURN NULL; END IF;
  PERFORM feed_listing_refresh(keys) FROM (
    SELECT array_agg(feed_key) AS keys FROM (
      SELECT feed_key, kind, parent_feed_key, status, priority, feed_type_id, title_fold, start_at, end_at, unit_id, dept_id, profile_id, owner_user_id, is_confidential, deleted_at, sugg_start_date, sugg_end_date FROM fresh
      EXCEPT SELECT feed_key, kind, parent_feed_key, status, priority, feed_type_id, title_fold, start_at, end_at, unit_id, dept_id, profile_id, owner_user_id, is_confidential, deleted_at, sugg_start_date, sugg_end_date FROM prior
    ) changed) k
  WHERE keys IS NOT NULL;
  PERFORM feed_task_count_add(array_agg(parent_feed_key), array_agg(open), array_agg(every)) FROM (
    SELECT parent_feed_key, coalesce(sum(n) FILTER (WHERE status IN ('N', 'R', 'P', 'O')), 0)::int AS open, sum(n)::int AS every
    FROM (
      SELECT parent_feed_key, kind, status, deleted_at, 1 AS n FROM fresh
      UNION ALL SELECT parent_feed_key, kind, status, deleted_at, -1 FROM prior
    ) task WHERE parent_feed_key IS NOT NULL AND kind = 'TASK' AND deleted_at IS NULL GROUP BY parent_feed_key) d
  WHERE open <> 0 OR every <> 0 HAVING count(*) > 0;
  RETURN NULL;
END $$;
