-- What a statement changed was found by joining its rows before and after. Each connection plans that once, often for a single row: then it compared each row with
-- each other one, so 5,000 feeds took a minute. Set operations sort or hash however many there are.

CREATE OR REPLACE FUNCTION "feed_updated"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF feed_bulk_load() THEN RETURN NULL; END IF;
  PERFORM feed_listing_refresh(keys) FROM (
    SELECT array_agg(feed_key) AS keys FROM (
      SELECT feed_key, kind, parent_feed_key, status, priority, feed_type_id, title_fold, start_at, end_at, unit_id, dept_id, profile_id, owner_user_id, is_confidential, deleted_at FROM fresh
      EXCEPT SELECT feed_key, kind, parent_feed_key, status, priority, feed_type_id, title_fold, start_at, end_at, unit_id, dept_id, profile_id, owner_user_id, is_confidential, deleted_at FROM prior
    ) changed) k
  WHERE keys IS NOT NULL;
  PERFORM feed_task_count_refresh(parents) FROM (
    SELECT array_agg(DISTINCT parent_feed_key) AS parents FROM (
      (SELECT feed_key, parent_feed_key, kind, status, deleted_at FROM fresh EXCEPT SELECT feed_key, parent_feed_key, kind, status, deleted_at FROM prior)
      UNION ALL (SELECT feed_key, parent_feed_key, kind, status, deleted_at FROM prior EXCEPT SELECT feed_key, parent_feed_key, kind, status, deleted_at FROM fresh)
    ) changed WHERE parent_feed_key IS NOT NULL) p
  WHERE parents IS NOT NULL;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "feed_state_updated"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF feed_bulk_load() THEN RETURN NULL; END IF;
  PERFORM feed_listing_refresh(keys) FROM (
    SELECT array_agg(DISTINCT feed_key) AS keys FROM (
      SELECT user_id, feed_key, follow OR watched FROM fresh EXCEPT SELECT user_id, feed_key, follow OR watched FROM prior) changed) k
  WHERE keys IS NOT NULL;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "feed_change_updated"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change_log (domain_id, feed_key, op)
  SELECT domain_id, feed_key, 'U' FROM (SELECT * FROM fresh EXCEPT SELECT * FROM prior) changed
  UNION
  SELECT domain_id, parent_feed_key, 'U' FROM (
    (SELECT domain_id, feed_key, parent_feed_key, status, end_at, kind, deleted_at FROM fresh
      EXCEPT SELECT domain_id, feed_key, parent_feed_key, status, end_at, kind, deleted_at FROM prior)
    UNION ALL (SELECT domain_id, feed_key, parent_feed_key, status, end_at, kind, deleted_at FROM prior
      EXCEPT SELECT domain_id, feed_key, parent_feed_key, status, end_at, kind, deleted_at FROM fresh)
  ) changed WHERE parent_feed_key IS NOT NULL;
  IF FOUND THEN PERFORM change_log_announce(); END IF;
  RETURN NULL;
END $$;

-- A feed that becomes confidential leaves the eyes of some although it stays in the list.
CREATE OR REPLACE FUNCTION "feed_list_closed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change_log (domain_id, feed_key, op, list, subject_id, confidential_dept)
  SELECT d.domain_id, c.feed_key, 'L', c.list, c.subject_id, c.confidential_dept
  FROM (SELECT list, subject_id, feed_key, confidential_dept FROM prior EXCEPT SELECT list, subject_id, feed_key, confidential_dept FROM fresh) c
  CROSS JOIN LATERAL feed_list_domain(c.list, c.subject_id) AS d (domain_id)
  WHERE d.domain_id IS NOT NULL;
  IF FOUND THEN PERFORM change_log_announce(); END IF;
  RETURN NULL;
END $$;
