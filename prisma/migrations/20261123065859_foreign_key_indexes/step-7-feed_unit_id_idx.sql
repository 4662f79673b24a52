-- while serving
CREATE INDEX CONCURRENTLY "feed_unit_id_idx" ON "feed" ("unit_id") WHERE "unit_id" IS NOT NULL;
