-- while serving
DROP INDEX CONCURRENTLY IF EXISTS "feed_suggested_idx";
