-- while serving
CREATE INDEX CONCURRENTLY "image_deleted_at_idx" ON "image" ("deleted_at") WHERE "deleted_at" IS NOT NULL;
