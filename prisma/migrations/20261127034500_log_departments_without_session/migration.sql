-- A change of departments or unit is logged for users without a session, too: one may begin before the change is committed, and a position outlives its session.

CREATE OR REPLACE FUNCTION "user_dept_change_added"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change_log (domain_id, feed_key, op, audience_user_id)
  SELECT DISTINCT u.domain_id, 0, 'M', u.id FROM fresh k JOIN "user" u ON u.id = k.user_id;
  IF FOUND THEN PERFORM change_log_announce(); END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "user_dept_change_removed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change_log (domain_id, feed_key, op, audience_user_id)
  SELECT DISTINCT u.domain_id, 0, 'M', u.id FROM prior k JOIN "user" u ON u.id = k.user_id;
  IF FOUND THEN PERFORM change_log_announce(); END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "user_change_updated"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change_log (domain_id, feed_key, op, audience_user_id)
  SELECT n.domain_id, 0, 'M', n.id FROM fresh n JOIN prior o USING (id) WHERE (n.unit_id, n.domain_id) IS DISTINCT FROM (o.unit_id, o.domain_id);
  IF FOUND THEN PERFORM change_log_announce(); END IF;
  RETURN NULL;
END $$;
