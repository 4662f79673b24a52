-- while serving
CREATE INDEX CONCURRENTLY "feed_profile_id_idx" ON "feed" ("profile_id") WHERE "profile_id" IS NOT NULL;
