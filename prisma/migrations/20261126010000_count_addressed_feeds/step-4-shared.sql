-- before serving
WITH batch AS (SELECT "feed_key" FROM "feed" WHERE "feed_key" > coalesce($1, '-9223372036854775808')::bigint ORDER BY "feed_key" LIMIT 1000 FOR UPDATE),
  several AS MATERIALIZED (
    SELECT "feed_key", "list" % 10 AS rows FROM batch JOIN "feed_listing" USING ("feed_key") WHERE "list" BETWEEN 20 AND 39 GROUP BY 1, 2 HAVING count(*) > 1
  ), marked AS (
    UPDATE "feed_listing" l SET "shared" = true FROM several s
    WHERE l."feed_key" = s."feed_key" AND l."list" % 10 = s.rows AND l."list" BETWEEN 20 AND 39 AND NOT l."shared")
SELECT batch."feed_key"::text FROM batch ORDER BY batch."feed_key" DESC LIMIT 1;
