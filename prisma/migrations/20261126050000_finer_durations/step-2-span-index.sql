-- before serving
DROP INDEX CONCURRENTLY IF EXISTS "feed_listing_span_idx";
