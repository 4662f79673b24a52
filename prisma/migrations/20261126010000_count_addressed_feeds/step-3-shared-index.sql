-- before serving
CREATE INDEX CONCURRENTLY "feed_listing_shared_idx" ON "feed_listing" ("list", "subject_id", "end_sort") INCLUDE ("feed_key", "priority_sort", "start_sort", "confidential_dept") WHERE "shared";
