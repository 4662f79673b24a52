-- while serving
CREATE INDEX CONCURRENTLY "feed_assignment_dept_id_idx" ON "feed_assignment" ("dept_id") WHERE "dept_id" IS NOT NULL;
