-- before serving
-- safe: only counters are written, of one list at a time
-- One list at a time: adds what its counters lack, which is what they had not counted when this statement began. Folding, which it keeps out, changes no sum.
WITH last AS (SELECT coalesce(split_part($1, ' ', 1), '19')::smallint AS list, coalesce(split_part($1, ' ', 2), '0')::int AS subject_id),
  next AS MATERIALIZED (
    SELECT n.* FROM last CROSS JOIN LATERAL (
      (SELECT l."list", l."subject_id" FROM "feed_listing" l WHERE l."list" < 40 AND (l."list", l."subject_id") > (last.list, last.subject_id) ORDER BY 1, 2 LIMIT 1)
      UNION ALL (SELECT c."list", c."subject_id" FROM "feed_count" c WHERE c."list" < 40 AND (c."list", c."subject_id") > (last.list, last.subject_id) ORDER BY 1, 2 LIMIT 1)
      UNION ALL (SELECT d."list", d."subject_id" FROM "feed_count_delta" d WHERE d."list" < 40 AND (d."list", d."subject_id") > (last.list, last.subject_id) ORDER BY 1, 2 LIMIT 1)
    ) n ORDER BY 1, 2 LIMIT 1
  ), wanted AS (
    SELECT l."list", l."subject_id", d.day, l."priority_sort", coalesce(l."confidential_dept", -1) AS "confidential_dept", d.starts, d.ends
    FROM next JOIN "feed_listing" l USING ("list", "subject_id")
    CROSS JOIN LATERAL (VALUES (feed_first_day(l."start_sort", l."end_sort"), 1, 0), (feed_last_day(l."start_sort", l."end_sort"), 0, 1)) d (day, starts, ends)
    UNION ALL SELECT c."list", c."subject_id", c."period", c."priority_sort", c."confidential_dept", -c."starts", -c."ends"
    FROM next JOIN "feed_count" c USING ("list", "subject_id") WHERE c."level" = 'D'
    UNION ALL SELECT c."list", c."subject_id", d.day, c."priority_sort", c."confidential_dept", d.starts, d.ends
    FROM next JOIN "feed_count_delta" c USING ("list", "subject_id") CROSS JOIN LATERAL (VALUES (c."starts_on", -c."n", 0), (c."ends_on", 0, -c."n")) d (day, starts, ends)
  ), added AS (
    INSERT INTO "feed_count" AS c ("list", "subject_id", "level", "period", "priority_sort", "confidential_dept", "starts", "ends")
    SELECT "list", "subject_id", p.level, p.period, "priority_sort", "confidential_dept", sum("starts"), sum("ends")
    FROM (SELECT pg_advisory_xact_lock(4711062) OFFSET 0) folding CROSS JOIN wanted
    CROSS JOIN LATERAL (VALUES ('D', day), ('M', date_trunc('month', day::timestamp)::date), ('Y', date_trunc('year', day::timestamp)::date)) p (level, period)
    GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum("starts") <> 0 OR sum("ends") <> 0
    ON CONFLICT ("list", "subject_id", "level", "period", "priority_sort", "confidential_dept") DO UPDATE SET "starts" = c."starts" + excluded."starts", "ends" = c."ends" + excluded."ends")
SELECT "list" || ' ' || "subject_id" FROM next;
