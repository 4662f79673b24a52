-- while serving
CREATE INDEX CONCURRENTLY "image_review_assignee_id_idx" ON "image_review" ("assignee_id") WHERE "assignee_id" IS NOT NULL;
