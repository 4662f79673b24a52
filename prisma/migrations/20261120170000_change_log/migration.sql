-- CreateTable
CREATE TABLE "change_log" (
    "domain_id" INTEGER NOT NULL,
    "xid" BIGINT NOT NULL DEFAULT ((pg_current_xact_id())::text)::bigint,
    "seq" BIGSERIAL NOT NULL,
    "feed_key" BIGINT NOT NULL,
    "op" CHAR(1) NOT NULL,
    "audience_user_id" INTEGER,
    "list" SMALLINT,
    "subject_id" INTEGER,
    "confidential_dept" INTEGER,
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "change_log_pkey" PRIMARY KEY ("domain_id","xid","seq")
);

-- CreateTable
CREATE TABLE "change_mark" (
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "xid" BIGINT NOT NULL,
    "snapshot" TEXT NOT NULL,
    "last_seq" BIGINT NOT NULL,
    "settled" BOOLEAN NOT NULL,

    CONSTRAINT "change_mark_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "change_log_state" (
    "id" INTEGER NOT NULL,
    "log_id" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "horizon_xid" BIGINT NOT NULL,
    "swept_until" TIMESTAMPTZ(3),

    CONSTRAINT "change_log_state_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "change_mark_at_idx" ON "change_mark"("at");

-- CreateIndex
CREATE INDEX "feed_end_at_idx" ON "feed"("end_at");

-- ───────────── what Prisma's schema can't say: the triggers that write the log ─────────────
-- They are per statement and run in bulk loads too (trivium.bulk): one insert for each batch. A bulk load must touch the row of every feed whose
-- assignments, tags or attributes it changes, for those three are then not logged on their own.

ALTER TABLE "change_log" ADD CONSTRAINT "change_log_op_check" CHECK ("op" IN ('U', 'S', 'L', 'M'));

INSERT INTO "change_log_state" (id, log_id, started_at, horizon_xid)
SELECT 1, substr(md5(random()::text || clock_timestamp()::text), 1, 8), CASE WHEN EXISTS (SELECT FROM feed) THEN clock_timestamp() END,
  pg_snapshot_xmin(pg_current_snapshot())::text::bigint;

-- Wakes the gateways at commit. A database that takes more commits than PostgreSQL can notify about (it serialises those) sets trivium.notify = 'off':
-- gateways then find changes at their next look, within two seconds.
CREATE FUNCTION "change_log_announce"() RETURNS void LANGUAGE sql AS $$
  SELECT pg_notify('trivium_changes', '') WHERE current_setting('trivium.notify', true) IS DISTINCT FROM 'off';
$$;

-- Remembers what is committed now, unless the newest mark says as much already. See ChangeMark.
CREATE FUNCTION "change_log_mark"() RETURNS void LANGUAGE sql AS $$
  INSERT INTO change_mark (at, xid, snapshot, last_seq, settled)
  SELECT clock_timestamp(), pg_current_xact_id()::text::bigint, pg_current_snapshot()::text, s.last_value,
    coalesce(s.last_value = m.last_seq AND pg_snapshot_xmin(pg_current_snapshot())::text::bigint > m.xid, false)
  FROM change_log_seq_seq s LEFT JOIN (SELECT * FROM change_mark ORDER BY at DESC, id DESC LIMIT 1) m ON true
  WHERE m.id IS NULL OR s.last_value <> m.last_seq OR NOT m.settled;
$$;

CREATE FUNCTION "feed_change_inserted"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change_log (domain_id, feed_key, op) SELECT domain_id, feed_key, 'U' FROM fresh;
  IF FOUND THEN PERFORM change_log_announce(); END IF;
  RETURN NULL;
END $$;

-- A parent shows how many of its tasks are overdue, which follows from their status and end.
CREATE FUNCTION "feed_change_updated"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change_log (domain_id, feed_key, op)
  SELECT n.domain_id, n.feed_key, 'U' FROM fresh n JOIN prior o USING (feed_key) WHERE n IS DISTINCT FROM o
  UNION
  SELECT n.domain_id, p.parent, 'U' FROM fresh n JOIN prior o USING (feed_key) CROSS JOIN LATERAL (VALUES (n.parent_feed_key), (o.parent_feed_key)) AS p (parent)
  WHERE p.parent IS NOT NULL
    AND (n.status, n.end_at, n.kind, n.parent_feed_key, n.deleted_at) IS DISTINCT FROM (o.status, o.end_at, o.kind, o.parent_feed_key, o.deleted_at);
  IF FOUND THEN PERFORM change_log_announce(); END IF;
  RETURN NULL;
END $$;

-- Tags and attributes decide whether a filter matches; an assignment, whose list the feed is in.
CREATE FUNCTION "feed_part_added"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF feed_bulk_load() THEN RETURN NULL; END IF;
  INSERT INTO change_log (domain_id, feed_key, op) SELECT f.domain_id, f.feed_key, 'U' FROM feed f WHERE f.feed_key IN (SELECT feed_key FROM fresh);
  IF FOUND THEN PERFORM change_log_announce(); END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION "feed_part_removed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF feed_bulk_load() THEN RETURN NULL; END IF;
  INSERT INTO change_log (domain_id, feed_key, op) SELECT f.domain_id, f.feed_key, 'U' FROM feed f WHERE f.feed_key IN (SELECT feed_key FROM prior);
  IF FOUND THEN PERFORM change_log_announce(); END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION "feed_state_change_written"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change_log (domain_id, feed_key, op, audience_user_id) SELECT u.domain_id, s.feed_key, 'S', s.user_id FROM fresh s JOIN "user" u ON u.id = s.user_id;
  IF FOUND THEN PERFORM change_log_announce(); END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION "feed_state_change_removed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change_log (domain_id, feed_key, op, audience_user_id) SELECT u.domain_id, s.feed_key, 'S', s.user_id FROM prior s JOIN "user" u ON u.id = s.user_id;
  IF FOUND THEN PERFORM change_log_announce(); END IF;
  RETURN NULL;
END $$;

-- The domain of a list is that of the user, department or unit whom it belongs to: the feed may be gone.
CREATE FUNCTION "feed_list_domain"(list smallint, subject_id integer) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT CASE list / 10
    WHEN 1 THEN (SELECT domain_id FROM "user" WHERE id = subject_id)
    WHEN 2 THEN (SELECT domain_id FROM dept WHERE id = subject_id)
    WHEN 4 THEN (SELECT domain_id FROM dept WHERE id = subject_id)
    ELSE (SELECT domain_id FROM unit WHERE id = subject_id) END;
$$;

CREATE FUNCTION "feed_list_left"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change_log (domain_id, feed_key, op, list, subject_id, confidential_dept)
  SELECT d.domain_id, feed_key, 'L', list, subject_id, confidential_dept FROM prior CROSS JOIN LATERAL feed_list_domain(list, subject_id) AS d (domain_id)
  WHERE d.domain_id IS NOT NULL;
  IF FOUND THEN PERFORM change_log_announce(); END IF;
  RETURN NULL;
END $$;

-- A feed that becomes confidential leaves the eyes of some although it stays in the list.
CREATE FUNCTION "feed_list_closed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change_log (domain_id, feed_key, op, list, subject_id, confidential_dept)
  SELECT d.domain_id, o.feed_key, 'L', o.list, o.subject_id, o.confidential_dept
  FROM prior o JOIN fresh n USING (list, subject_id, feed_key) CROSS JOIN LATERAL feed_list_domain(o.list, o.subject_id) AS d (domain_id)
  WHERE o.confidential_dept IS DISTINCT FROM n.confidential_dept AND d.domain_id IS NOT NULL;
  IF FOUND THEN PERFORM change_log_announce(); END IF;
  RETURN NULL;
END $$;

-- Whoever has no session can have no position that this would make worthless.
CREATE FUNCTION "user_dept_change_added"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change_log (domain_id, feed_key, op, audience_user_id)
  SELECT DISTINCT u.domain_id, 0, 'M', u.id FROM fresh k JOIN "user" u ON u.id = k.user_id WHERE EXISTS (SELECT FROM session s WHERE s.user_id = u.id);
  IF FOUND THEN PERFORM change_log_announce(); END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION "user_dept_change_removed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change_log (domain_id, feed_key, op, audience_user_id)
  SELECT DISTINCT u.domain_id, 0, 'M', u.id FROM prior k JOIN "user" u ON u.id = k.user_id WHERE EXISTS (SELECT FROM session s WHERE s.user_id = u.id);
  IF FOUND THEN PERFORM change_log_announce(); END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION "user_change_updated"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change_log (domain_id, feed_key, op, audience_user_id)
  SELECT n.domain_id, 0, 'M', n.id FROM fresh n JOIN prior o USING (id)
  WHERE (n.unit_id, n.domain_id) IS DISTINCT FROM (o.unit_id, o.domain_id) AND EXISTS (SELECT FROM session s WHERE s.user_id = n.id);
  IF FOUND THEN PERFORM change_log_announce(); END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "feed_change_inserted" AFTER INSERT ON "feed" REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION feed_change_inserted();
CREATE TRIGGER "feed_change_updated" AFTER UPDATE ON "feed" REFERENCING OLD TABLE AS prior NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION feed_change_updated();
CREATE TRIGGER "feed_assignment_change_added" AFTER INSERT ON "feed_assignment" REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION feed_part_added();
CREATE TRIGGER "feed_assignment_change_updated" AFTER UPDATE ON "feed_assignment" REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION feed_part_added();
CREATE TRIGGER "feed_assignment_change_removed" AFTER DELETE ON "feed_assignment" REFERENCING OLD TABLE AS prior FOR EACH STATEMENT EXECUTE FUNCTION feed_part_removed();
CREATE TRIGGER "feed_tag_change_added" AFTER INSERT ON "feed_tag" REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION feed_part_added();
CREATE TRIGGER "feed_tag_change_updated" AFTER UPDATE ON "feed_tag" REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION feed_part_added();
CREATE TRIGGER "feed_tag_change_removed" AFTER DELETE ON "feed_tag" REFERENCING OLD TABLE AS prior FOR EACH STATEMENT EXECUTE FUNCTION feed_part_removed();
CREATE TRIGGER "feed_attribute_change_added" AFTER INSERT ON "feed_attribute" REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION feed_part_added();
CREATE TRIGGER "feed_attribute_change_updated" AFTER UPDATE ON "feed_attribute" REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION feed_part_added();
CREATE TRIGGER "feed_attribute_change_removed" AFTER DELETE ON "feed_attribute" REFERENCING OLD TABLE AS prior FOR EACH STATEMENT EXECUTE FUNCTION feed_part_removed();
CREATE TRIGGER "feed_user_state_change_inserted" AFTER INSERT ON "feed_user_state" REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION feed_state_change_written();
CREATE TRIGGER "feed_user_state_change_updated" AFTER UPDATE ON "feed_user_state" REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION feed_state_change_written();
CREATE TRIGGER "feed_user_state_change_removed" AFTER DELETE ON "feed_user_state" REFERENCING OLD TABLE AS prior FOR EACH STATEMENT EXECUTE FUNCTION feed_state_change_removed();
CREATE TRIGGER "feed_listing_change_left" AFTER DELETE ON "feed_listing" REFERENCING OLD TABLE AS prior FOR EACH STATEMENT EXECUTE FUNCTION feed_list_left();
CREATE TRIGGER "feed_listing_change_closed" AFTER UPDATE ON "feed_listing" REFERENCING OLD TABLE AS prior NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION feed_list_closed();
CREATE TRIGGER "user_dept_change_added" AFTER INSERT ON "user_dept" REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION user_dept_change_added();
CREATE TRIGGER "user_dept_change_updated" AFTER UPDATE ON "user_dept" REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION user_dept_change_added();
CREATE TRIGGER "user_dept_change_removed" AFTER DELETE ON "user_dept" REFERENCING OLD TABLE AS prior FOR EACH STATEMENT EXECUTE FUNCTION user_dept_change_removed();
CREATE TRIGGER "user_change_updated" AFTER UPDATE ON "user" REFERENCING OLD TABLE AS prior NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION user_change_updated();

-- Starts the log anew if it holds transactions that this server has not had yet: it came with a dump of another one. Tells whether it did.
CREATE FUNCTION "change_log_check"() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE ahead boolean;
BEGIN
  SELECT coalesce(max(xid), 0) > pg_snapshot_xmax(pg_current_snapshot())::text::bigint INTO ahead FROM (
    SELECT max(c.xid) AS xid FROM domain d CROSS JOIN LATERAL (SELECT xid FROM change_log WHERE domain_id = d.id ORDER BY xid DESC LIMIT 1) c
    UNION ALL SELECT max(xid) FROM change_mark UNION ALL SELECT horizon_xid FROM change_log_state) known;
  IF ahead THEN
    DELETE FROM change_log;
    DELETE FROM change_mark;
    UPDATE change_log_state SET log_id = substr(md5(random()::text || clock_timestamp()::text), 1, 8), started_at = clock_timestamp(),
      horizon_xid = pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
  END IF;
  RETURN ahead;
END $$;
