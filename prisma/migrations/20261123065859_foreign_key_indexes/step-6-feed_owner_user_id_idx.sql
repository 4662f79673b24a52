-- while serving
CREATE INDEX CONCURRENTLY "feed_owner_user_id_idx" ON "feed" ("owner_user_id") WHERE "owner_user_id" IS NOT NULL;
