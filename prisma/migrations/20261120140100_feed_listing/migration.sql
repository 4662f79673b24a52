-- What Prisma's schema can't say: checks, the triggers that keep feed_listing and the task counts, and the version of the configuration.

ALTER TABLE "feed" ADD CONSTRAINT "feed_kind_check" CHECK ("kind" IN ('PROJECT', 'TASK', 'MESSAGE', 'WALK'));
ALTER TABLE "feed" ADD CONSTRAINT "feed_status_check" CHECK ("status" IN ('N', 'R', 'P', 'O', 'C', 'F', 'E'));
ALTER TABLE "feed" ADD CONSTRAINT "feed_parent_check" CHECK ("parent_feed_key" <> "feed_key");
ALTER TABLE "feed_assignment" ADD CONSTRAINT "feed_assignment_subject_check" CHECK (num_nonnulls("user_id", "dept_id", "unit_id") = 1);

-- ───────────── feed_listing ─────────────

-- Brings feed_listing up to date for these feeds. Rows that would not change are left alone.
CREATE FUNCTION "feed_listing_refresh"(keys bigint[]) RETURNS void LANGUAGE sql AS $$
  WITH reach AS MATERIALIZED (
    SELECT 1 AS audience, owner_user_id AS subject_id, feed_key FROM feed WHERE feed_key = ANY (keys) AND owner_user_id IS NOT NULL
    UNION SELECT 1, user_id, feed_key FROM feed_assignment WHERE feed_key = ANY (keys) AND user_id IS NOT NULL
    UNION SELECT 1, user_id, feed_key FROM feed_user_state WHERE feed_key = ANY (keys) AND (follow OR watched)
    UNION SELECT 2, dept_id, feed_key FROM feed_assignment WHERE feed_key = ANY (keys) AND dept_id IS NOT NULL
    UNION SELECT 3, unit_id, feed_key FROM feed_assignment WHERE feed_key = ANY (keys) AND unit_id IS NOT NULL
    UNION SELECT 4, dept_id, feed_key FROM feed WHERE feed_key = ANY (keys) AND dept_id IS NOT NULL
    UNION SELECT 5, unit_id, feed_key FROM feed WHERE feed_key = ANY (keys) AND unit_id IS NOT NULL
  ), wanted AS MATERIALIZED (
    SELECT (reach.audience * 10 + shown.rows)::smallint AS list, reach.subject_id, f.feed_key,
      coalesce(f.end_at, '9999-12-31 23:59:59+00') AS end_sort,
      coalesce(f.start_at, '9999-12-31 23:59:59+00') AS start_sort,
      coalesce(f.priority, 2147483647) AS priority_sort,
      coalesce(f.profile_id, 2147483647) AS profile_sort,
      coalesce(f.feed_type_id, U&'\+10FFFF') AS feed_type_sort,
      left(f.title_fold, 400) AS title_sort,
      f.status,
      CASE WHEN f.is_confidential THEN coalesce(f.dept_id, 0) END AS confidential_dept
    FROM feed f
    JOIN reach USING (feed_key)
    JOIN (VALUES ('PROJECT', true, 0), ('PROJECT', false, 0), ('MESSAGE', true, 0), ('MESSAGE', false, 0),
                 ('TASK', true, 0), ('TASK', true, 1), ('TASK', false, 1), ('WALK', true, 2), ('WALK', false, 2))
      AS shown (kind, orphan, rows) ON shown.kind = f.kind AND shown.orphan = (f.parent_feed_key IS NULL)
    WHERE f.feed_key = ANY (keys) AND f.deleted_at IS NULL
  ), stale AS (
    DELETE FROM feed_listing l WHERE l.feed_key = ANY (keys)
      AND NOT EXISTS (SELECT FROM wanted w WHERE w.list = l.list AND w.subject_id = l.subject_id AND w.feed_key = l.feed_key)
  )
  INSERT INTO feed_listing AS l
    (list, subject_id, feed_key, end_sort, start_sort, priority_sort, profile_sort, feed_type_sort, title_sort, status, confidential_dept)
  SELECT * FROM wanted
  ON CONFLICT (list, subject_id, feed_key) DO UPDATE SET
    end_sort = excluded.end_sort, start_sort = excluded.start_sort, priority_sort = excluded.priority_sort,
    profile_sort = excluded.profile_sort, feed_type_sort = excluded.feed_type_sort, title_sort = excluded.title_sort,
    status = excluded.status, confidential_dept = excluded.confidential_dept
  WHERE (l.end_sort, l.start_sort, l.priority_sort, l.profile_sort, l.feed_type_sort, l.title_sort, l.status, l.confidential_dept)
    IS DISTINCT FROM (excluded.end_sort, excluded.start_sort, excluded.priority_sort, excluded.profile_sort,
      excluded.feed_type_sort, excluded.title_sort, excluded.status, excluded.confidential_dept);
$$;

-- Counts the tasks below these feeds.
CREATE FUNCTION "feed_task_count_refresh"(parents bigint[]) RETURNS void LANGUAGE sql AS $$
  UPDATE feed p SET task_count = coalesce(c.open, 0), feed_task_count = coalesce(c.every, 0)
  FROM unnest(parents) AS k (feed_key)
  LEFT JOIN LATERAL (
    SELECT count(*) FILTER (WHERE t.status IN ('N', 'R', 'P', 'O'))::int AS open, count(*)::int AS every
    FROM feed t WHERE t.parent_feed_key = k.feed_key AND t.kind = 'TASK' AND t.deleted_at IS NULL
  ) c ON true
  WHERE p.feed_key = k.feed_key AND (p.task_count, p.feed_task_count) IS DISTINCT FROM (coalesce(c.open, 0), coalesce(c.every, 0));
$$;

-- A bulk load sets trivium.bulk = 'on' for its transaction and calls the two functions above itself, once for each batch.
CREATE FUNCTION "feed_bulk_load"() RETURNS boolean LANGUAGE sql STABLE AS $$ SELECT current_setting('trivium.bulk', true) = 'on' $$;

CREATE FUNCTION "feed_inserted"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF feed_bulk_load() THEN RETURN NULL; END IF;
  PERFORM feed_listing_refresh((SELECT array_agg(feed_key) FROM fresh));
  PERFORM feed_task_count_refresh((SELECT array_agg(DISTINCT parent_feed_key) FROM fresh WHERE parent_feed_key IS NOT NULL));
  RETURN NULL;
END $$;

CREATE FUNCTION "feed_updated"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF feed_bulk_load() THEN RETURN NULL; END IF;
  PERFORM feed_listing_refresh(keys) FROM (
    SELECT array_agg(n.feed_key) AS keys FROM fresh n JOIN prior o USING (feed_key)
    WHERE (n.kind, n.parent_feed_key, n.status, n.priority, n.feed_type_id, n.title_fold, n.start_at, n.end_at, n.unit_id, n.dept_id,
        n.profile_id, n.owner_user_id, n.is_confidential, n.deleted_at)
      IS DISTINCT FROM (o.kind, o.parent_feed_key, o.status, o.priority, o.feed_type_id, o.title_fold, o.start_at, o.end_at, o.unit_id,
        o.dept_id, o.profile_id, o.owner_user_id, o.is_confidential, o.deleted_at)) changed
  WHERE keys IS NOT NULL;
  PERFORM feed_task_count_refresh(parents) FROM (
    SELECT array_agg(DISTINCT parent) AS parents FROM fresh n JOIN prior o USING (feed_key)
    CROSS JOIN LATERAL (VALUES (n.parent_feed_key), (o.parent_feed_key)) AS p (parent)
    WHERE parent IS NOT NULL
      AND (n.parent_feed_key, n.kind, n.status, n.deleted_at) IS DISTINCT FROM (o.parent_feed_key, o.kind, o.status, o.deleted_at)) changed
  WHERE parents IS NOT NULL;
  RETURN NULL;
END $$;

CREATE FUNCTION "feed_deleted"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM feed_listing WHERE feed_key IN (SELECT feed_key FROM prior);
  PERFORM feed_task_count_refresh((SELECT array_agg(DISTINCT parent_feed_key) FROM prior WHERE parent_feed_key IS NOT NULL));
  RETURN NULL;
END $$;

CREATE FUNCTION "feed_reach_inserted"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF feed_bulk_load() THEN RETURN NULL; END IF;
  PERFORM feed_listing_refresh((SELECT array_agg(DISTINCT feed_key) FROM fresh));
  RETURN NULL;
END $$;

CREATE FUNCTION "feed_reach_removed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF feed_bulk_load() THEN RETURN NULL; END IF;
  PERFORM feed_listing_refresh((SELECT array_agg(DISTINCT feed_key) FROM prior));
  RETURN NULL;
END $$;

CREATE FUNCTION "feed_reach_updated"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF feed_bulk_load() THEN RETURN NULL; END IF;
  PERFORM feed_listing_refresh((SELECT array_agg(DISTINCT feed_key) FROM (SELECT feed_key FROM fresh UNION SELECT feed_key FROM prior) k));
  RETURN NULL;
END $$;

CREATE FUNCTION "feed_state_inserted"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF feed_bulk_load() THEN RETURN NULL; END IF;
  PERFORM feed_listing_refresh(keys) FROM (SELECT array_agg(feed_key) AS keys FROM fresh WHERE follow OR watched) k WHERE keys IS NOT NULL;
  RETURN NULL;
END $$;

CREATE FUNCTION "feed_state_updated"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF feed_bulk_load() THEN RETURN NULL; END IF;
  PERFORM feed_listing_refresh(keys) FROM (
    SELECT array_agg(n.feed_key) AS keys FROM fresh n JOIN prior o USING (user_id, feed_key)
    WHERE (n.follow OR n.watched) <> (o.follow OR o.watched)) k WHERE keys IS NOT NULL;
  RETURN NULL;
END $$;

CREATE FUNCTION "feed_state_removed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF feed_bulk_load() THEN RETURN NULL; END IF;
  PERFORM feed_listing_refresh(keys) FROM (SELECT array_agg(feed_key) AS keys FROM prior WHERE follow OR watched) k WHERE keys IS NOT NULL;
  RETURN NULL;
END $$;

CREATE TRIGGER "feed_inserted" AFTER INSERT ON "feed" REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION feed_inserted();
CREATE TRIGGER "feed_updated" AFTER UPDATE ON "feed" REFERENCING OLD TABLE AS prior NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION feed_updated();
CREATE TRIGGER "feed_deleted" AFTER DELETE ON "feed" REFERENCING OLD TABLE AS prior FOR EACH STATEMENT EXECUTE FUNCTION feed_deleted();
CREATE TRIGGER "feed_assignment_inserted" AFTER INSERT ON "feed_assignment" REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION feed_reach_inserted();
CREATE TRIGGER "feed_assignment_updated" AFTER UPDATE ON "feed_assignment" REFERENCING OLD TABLE AS prior NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION feed_reach_updated();
CREATE TRIGGER "feed_assignment_removed" AFTER DELETE ON "feed_assignment" REFERENCING OLD TABLE AS prior FOR EACH STATEMENT EXECUTE FUNCTION feed_reach_removed();
CREATE TRIGGER "feed_user_state_inserted" AFTER INSERT ON "feed_user_state" REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION feed_state_inserted();
CREATE TRIGGER "feed_user_state_updated" AFTER UPDATE ON "feed_user_state" REFERENCING OLD TABLE AS prior NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION feed_state_updated();
CREATE TRIGGER "feed_user_state_removed" AFTER DELETE ON "feed_user_state" REFERENCING OLD TABLE AS prior FOR EACH STATEMENT EXECUTE FUNCTION feed_state_removed();

-- ───────────── configuration ─────────────

CREATE FUNCTION "config_entry_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE domain SET config_version = config_version + 1;
  RETURN NULL;
END $$;

CREATE TRIGGER "config_entry_changed" AFTER INSERT OR UPDATE OR DELETE ON "config_entry" FOR EACH STATEMENT EXECUTE FUNCTION config_entry_changed();
