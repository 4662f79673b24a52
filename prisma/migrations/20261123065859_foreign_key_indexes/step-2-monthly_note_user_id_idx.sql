-- while serving
CREATE INDEX CONCURRENTLY "monthly_note_user_id_idx" ON "monthly_note"("user_id");
