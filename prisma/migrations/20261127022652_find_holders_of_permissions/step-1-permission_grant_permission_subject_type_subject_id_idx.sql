-- while serving
CREATE INDEX CONCURRENTLY "permission_grant_permission_subject_type_subject_id_idx" ON "permission_grant"("permission", "subject_type", "subject_id");
