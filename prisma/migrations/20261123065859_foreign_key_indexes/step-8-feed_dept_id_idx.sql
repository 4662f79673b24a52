-- while serving
CREATE INDEX CONCURRENTLY "feed_dept_id_idx" ON "feed" ("dept_id") WHERE "dept_id" IS NOT NULL;
