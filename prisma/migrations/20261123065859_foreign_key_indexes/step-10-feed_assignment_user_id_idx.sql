-- while serving
CREATE INDEX CONCURRENTLY "feed_assignment_user_id_idx" ON "feed_assignment" ("user_id") WHERE "user_id" IS NOT NULL;
