-- before serving
CREATE INDEX CONCURRENTLY "feed_listing_addressed_end_first_idx" ON "feed_listing" ("list", "subject_id", "end_sort") WHERE "list" >= 20 AND "list" < 40 AND "end_sort" < "start_sort";
