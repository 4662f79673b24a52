-- while serving
CREATE INDEX CONCURRENTLY "user_unit_id_idx" ON "user"("unit_id");
