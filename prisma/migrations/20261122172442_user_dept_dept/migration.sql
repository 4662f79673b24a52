-- CreateIndex
CREATE INDEX "user_dept_dept_id_idx" ON "user_dept"("dept_id");
