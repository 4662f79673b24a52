-- before serving
-- safe: a thousand feeds at a time are locked, and rows are written only for those with a suggested date
WITH batch AS (SELECT "feed_key", "sugg_start_date", "sugg_end_date" FROM "feed" WHERE "feed_key" > coalesce($1, '-9223372036854775808')::bigint ORDER BY "feed_key" LIMIT 1000 FOR UPDATE),
  listed AS (SELECT feed_listing_refresh(array_agg("feed_key")) FROM batch WHERE "sugg_start_date" IS NOT NULL OR "sugg_end_date" IS NOT NULL)
SELECT batch."feed_key"::text FROM batch CROSS JOIN listed ORDER BY batch."feed_key" DESC LIMIT 1;
