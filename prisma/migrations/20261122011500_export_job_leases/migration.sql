-- AlterTable
ALTER TABLE "export_job" ADD COLUMN "attempts" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN "content" CHAR(32),
ADD COLUMN "runner" UUID;

-- CreateIndex
CREATE INDEX "export_job_owner_id_project_id_idx" ON "export_job"("owner_id", "project_id");
