-- before serving
CREATE INDEX CONCURRENTLY "feed_listing_duration_idx" ON "feed_listing" ("list", "subject_id", feed_duration("start_sort", "end_sort"), "start_sort", "feed_key")
  INCLUDE ("end_sort", "confidential_dept");
