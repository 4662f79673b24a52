-- A change of somebody's time zone is logged like one of departments or unit: dates and times of feeds that a client keeps, and days that it counts,
-- are those of the zone before. A unit's zone is that of its users who have none of their own.

CREATE OR REPLACE FUNCTION "user_change_updated"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change_log (domain_id, feed_key, op, audience_user_id)
  SELECT n.domain_id, 0, 'M', n.id FROM fresh n JOIN prior o USING (id)
  WHERE (n.unit_id, n.domain_id, n.time_zone_long) IS DISTINCT FROM (o.unit_id, o.domain_id, o.time_zone_long);
  IF FOUND THEN PERFORM change_log_announce(); END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION "unit_change_updated"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change_log (domain_id, feed_key, op, audience_user_id)
  SELECT u.domain_id, 0, 'M', u.id FROM fresh n JOIN prior o USING (id) JOIN "user" u ON u.unit_id = n.id
  WHERE n.time_zone <> o.time_zone AND u.time_zone_long IS NULL;
  IF FOUND THEN PERFORM change_log_announce(); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "unit_change_updated" AFTER UPDATE ON "unit" REFERENCING OLD TABLE AS prior NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION unit_change_updated();
