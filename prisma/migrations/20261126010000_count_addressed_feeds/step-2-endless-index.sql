-- before serving
CREATE INDEX CONCURRENTLY "feed_listing_addressed_endless_idx" ON "feed_listing" ("list", "subject_id", "start_sort") WHERE "list" >= 20 AND "list" < 40 AND "end_sort" = '9999-12-31 23:59:59+00';
