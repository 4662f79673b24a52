-- while serving
CREATE INDEX CONCURRENTLY "task_template_customer_id_idx" ON "task_template"("customer_id");
