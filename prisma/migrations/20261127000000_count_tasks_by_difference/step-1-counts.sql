-- while serving
-- safe: a thousand feeds at a time, and only those whose counts are wrong are locked
WITH batch AS MATERIALIZED (SELECT "feed_key" FROM "feed" WHERE "feed_key" > coalesce($1, '-9223372036854775808')::bigint ORDER BY "feed_key" LIMIT 1000),
  counted AS MATERIALIZED (SELECT feed_task_count_refresh(array_agg("feed_key")) FROM batch)
SELECT "feed_key"::text FROM batch, counted ORDER BY batch."feed_key" DESC LIMIT 1;
