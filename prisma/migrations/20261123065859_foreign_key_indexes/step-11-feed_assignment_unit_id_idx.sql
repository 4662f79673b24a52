-- while serving
CREATE INDEX CONCURRENTLY "feed_assignment_unit_id_idx" ON "feed_assignment" ("unit_id") WHERE "unit_id" IS NOT NULL;
