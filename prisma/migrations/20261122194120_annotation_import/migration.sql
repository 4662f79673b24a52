-- CreateTable
CREATE TABLE "annotation_import" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "owner_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "format" TEXT,
    "dry_run" BOOLEAN NOT NULL,
    "allow_unmatched" BOOLEAN NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'QUEUED',
    "progress" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "report" JSONB,
    "storage_key" TEXT,
    "byte_size" BIGINT NOT NULL,
    "sha256" CHAR(64) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "alive_at" TIMESTAMPTZ(3),
    "runner" UUID,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "finished_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "annotation_import_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "annotation_import_storage_key_key" ON "annotation_import"("storage_key");

-- CreateIndex
CREATE INDEX "annotation_import_state_alive_at_idx" ON "annotation_import"("state", "alive_at");

-- CreateIndex
CREATE INDEX "annotation_import_owner_id_idx" ON "annotation_import"("owner_id");

-- CreateIndex
CREATE INDEX "annotation_import_project_id_idx" ON "annotation_import"("project_id");

-- AddForeignKey
ALTER TABLE "annotation_import" ADD CONSTRAINT "annotation_import_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "annotation_import" ADD CONSTRAINT "annotation_import_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "annotation_import" ADD CONSTRAINT "annotation_import_values_check" CHECK (
  "state" IN ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED')
  AND "format" IN ('COCO', 'YOLO', 'PASCAL_VOC', 'LABEL_STUDIO')
  AND "progress" BETWEEN 0 AND 1 AND "attempts" >= 0);
