-- CreateTable
CREATE TABLE "feed_count" (
    "list" SMALLINT NOT NULL,
    "subject_id" INTEGER NOT NULL,
    "level" CHAR(1) NOT NULL,
    "period" DATE NOT NULL,
    "priority_sort" INTEGER NOT NULL,
    "confidential_dept" INTEGER NOT NULL,
    "starts" INTEGER NOT NULL,
    "ends" INTEGER NOT NULL,

    CONSTRAINT "feed_count_pkey" PRIMARY KEY ("list","subject_id","level","period","priority_sort","confidential_dept")
);

-- CreateTable
CREATE TABLE "feed_count_delta" (
    "list" SMALLINT NOT NULL,
    "subject_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "starts_on" DATE NOT NULL,
    "ends_on" DATE NOT NULL,
    "priority_sort" INTEGER NOT NULL,
    "confidential_dept" INTEGER NOT NULL,
    "n" INTEGER NOT NULL,

    CONSTRAINT "feed_count_delta_pkey" PRIMARY KEY ("list","subject_id","id")
);

-- ───────────── what Prisma's schema can't say: the triggers that count, and how their rows are folded ─────────────

-- Filled and emptied all the time: vacuumed by the number of dead rows, not by their share; and never cut short, which would lock it, cancel reads on a replica, and
-- make plans that read all of it look good.
ALTER TABLE "feed_count_delta" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = false);
-- Room in each page to count on in place.
ALTER TABLE "feed_count" SET (fillfactor = 80);

-- The days (UTC) on which a feed of feed_listing begins and is over; see overlapsAnySql.
CREATE FUNCTION "feed_first_day"(start_sort timestamptz, end_sort timestamptz) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (least(start_sort, end_sort) AT TIME ZONE 'UTC')::date;
$$;
CREATE FUNCTION "feed_last_day"(start_sort timestamptz, end_sort timestamptz) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (CASE WHEN end_sort = '9999-12-31 23:59:59+00' THEN start_sort ELSE end_sort END AT TIME ZONE 'UTC')::date;
$$;

-- A change of one feed's row fires all three, two of them for nothing.
CREATE FUNCTION "feed_count_added"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM fresh) THEN RETURN NULL; END IF;
  INSERT INTO feed_count_delta (list, subject_id, starts_on, ends_on, priority_sort, confidential_dept, n)
  SELECT list, subject_id, feed_first_day(start_sort, end_sort), feed_last_day(start_sort, end_sort), priority_sort, coalesce(confidential_dept, -1), count(*)
  FROM fresh WHERE list >= 40 GROUP BY 1, 2, 3, 4, 5, 6;
  RETURN NULL;
END $$;

-- Nothing, where only what is not counted has changed: the status, the title.
CREATE FUNCTION "feed_count_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO feed_count_delta (list, subject_id, starts_on, ends_on, priority_sort, confidential_dept, n)
  SELECT list, subject_id, feed_first_day(start_sort, end_sort), feed_last_day(start_sort, end_sort), priority_sort, coalesce(confidential_dept, -1), sum(n)
  FROM (
    SELECT list, subject_id, start_sort, end_sort, priority_sort, confidential_dept, 1 AS n FROM fresh WHERE list >= 40
    UNION ALL SELECT list, subject_id, start_sort, end_sort, priority_sort, confidential_dept, -1 FROM prior WHERE list >= 40) c
  GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(n) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION "feed_count_removed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM prior) THEN RETURN NULL; END IF;
  INSERT INTO feed_count_delta (list, subject_id, starts_on, ends_on, priority_sort, confidential_dept, n)
  SELECT list, subject_id, feed_first_day(start_sort, end_sort), feed_last_day(start_sort, end_sort), priority_sort, coalesce(confidential_dept, -1), -count(*)
  FROM prior WHERE list >= 40 GROUP BY 1, 2, 3, 4, 5, 6;
  RETURN NULL;
END $$;

-- Moves at most so many rows of feed_count_delta (null: all) into the sums of feed_count, and returns how many; 0 where another transaction is at it. Counts come
-- out the same before, meanwhile and afterwards: they read both tables in one snapshot.
CREATE FUNCTION "feed_count_fold"(batch integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  folded integer;
  emptied tid[];
BEGIN
  -- Any constant. Held until the end of the transaction, so that nobody else writes feed_count.
  IF NOT pg_try_advisory_xact_lock(4711062) THEN RETURN 0; END IF;
  WITH gone AS (
    DELETE FROM feed_count_delta WHERE ctid = ANY (ARRAY(SELECT ctid FROM feed_count_delta ORDER BY list, subject_id, id LIMIT batch)) RETURNING *
  ), days AS (
    SELECT list, subject_id, d.day, priority_sort, confidential_dept, sum(d.starts)::int AS starts, sum(d.ends)::int AS ends
    FROM gone CROSS JOIN LATERAL (VALUES (starts_on, n, 0), (ends_on, 0, n)) d (day, starts, ends)
    GROUP BY 1, 2, 3, 4, 5
  ), merged AS (
    INSERT INTO feed_count AS c (list, subject_id, level, period, priority_sort, confidential_dept, starts, ends)
    SELECT list, subject_id, p.level, p.period, priority_sort, confidential_dept, sum(starts), sum(ends)
    FROM days CROSS JOIN LATERAL (VALUES ('D', day), ('M', date_trunc('month', day::timestamp)::date), ('Y', date_trunc('year', day::timestamp)::date)) p (level, period)
    GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(starts) <> 0 OR sum(ends) <> 0
    ON CONFLICT (list, subject_id, level, period, priority_sort, confidential_dept) DO UPDATE SET starts = c.starts + excluded.starts, ends = c.ends + excluded.ends
    RETURNING c.ctid, c.starts, c.ends
  )
  SELECT (SELECT count(*) FROM gone), (SELECT array_agg(ctid) FROM merged WHERE starts = 0 AND ends = 0) INTO folded, emptied;
  IF emptied IS NOT NULL THEN DELETE FROM feed_count WHERE ctid = ANY (emptied); END IF;
  RETURN folded;
END $$;

-- Counts all that is listed anew, whatever the counters say; nobody writes to lists meanwhile. For whoever changed lists with triggers switched off.
CREATE FUNCTION "feed_count_rebuild"() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE feed_listing IN SHARE ROW EXCLUSIVE MODE;
  -- That of feed_count_fold, which may be at it. No TRUNCATE: who counts meanwhile would find nothing.
  PERFORM pg_advisory_xact_lock(4711062);
  DELETE FROM feed_count_delta;
  DELETE FROM feed_count;
  INSERT INTO feed_count
  SELECT list, subject_id, 'D', d.day, priority_sort, coalesce(confidential_dept, -1), sum(d.starts), sum(d.ends)
  FROM feed_listing
  CROSS JOIN LATERAL (VALUES (feed_first_day(start_sort, end_sort), 1, 0), (feed_last_day(start_sort, end_sort), 0, 1)) d (day, starts, ends)
  WHERE list >= 40
  GROUP BY 1, 2, 4, 5, 6;
  INSERT INTO feed_count
  SELECT list, subject_id, p.level, p.period, priority_sort, confidential_dept, sum(starts), sum(ends)
  FROM feed_count c
  CROSS JOIN LATERAL (VALUES ('M', date_trunc('month', c.period::timestamp)::date), ('Y', date_trunc('year', c.period::timestamp)::date)) p (level, period)
  GROUP BY 1, 2, 3, 4, 5, 6;
END $$;

CREATE FUNCTION "feed_count_emptied"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE feed_count, feed_count_delta;
  RETURN NULL;
END $$;

-- From here on nobody else writes to lists until the migration is committed.
CREATE TRIGGER "feed_listing_count_added" AFTER INSERT ON "feed_listing" REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION feed_count_added();
CREATE TRIGGER "feed_listing_count_changed" AFTER UPDATE ON "feed_listing" REFERENCING OLD TABLE AS prior NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION feed_count_changed();
CREATE TRIGGER "feed_listing_count_removed" AFTER DELETE ON "feed_listing" REFERENCING OLD TABLE AS prior FOR EACH STATEMENT EXECUTE FUNCTION feed_count_removed();
CREATE TRIGGER "feed_listing_count_emptied" AFTER TRUNCATE ON "feed_listing" FOR EACH STATEMENT EXECUTE FUNCTION feed_count_emptied();

-- The few feeds that end before they start, or have no start; and those without an end. Between a midnight and the bound of a count these are looked for by the other instant.
CREATE INDEX "feed_listing_end_first_idx" ON "feed_listing" ("list", "subject_id", "end_sort") WHERE "list" >= 40 AND "end_sort" < "start_sort";
CREATE INDEX "feed_listing_endless_idx" ON "feed_listing" ("list", "subject_id", "start_sort") WHERE "list" >= 40 AND "end_sort" = '9999-12-31 23:59:59+00';

-- The feeds that are there.
SELECT feed_count_rebuild();
