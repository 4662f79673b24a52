-- while serving
CREATE INDEX CONCURRENTLY "user_profile_id_idx" ON "user"("profile_id");
