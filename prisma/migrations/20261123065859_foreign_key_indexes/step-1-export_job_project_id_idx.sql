-- while serving
CREATE INDEX CONCURRENTLY "export_job_project_id_idx" ON "export_job"("project_id");
