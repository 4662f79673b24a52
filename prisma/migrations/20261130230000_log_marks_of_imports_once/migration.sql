-- An import logs what users have marked itself: a feed that it logs for all needs no rows for the users who marked it.

CREATE OR REPLACE FUNCTION "feed_state_change_written"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('trivium.marks', true) = 'unlogged' THEN RETURN NULL; END IF;
  INSERT INTO change_log (domain_id, feed_key, op, audience_user_id) SELECT u.domain_id, s.feed_key, 'S', s.user_id FROM fresh s JOIN "user" u ON u.id = s.user_id;
  IF FOUND THEN PERFORM change_log_announce(); END IF;
  RETURN NULL;
END $$;
