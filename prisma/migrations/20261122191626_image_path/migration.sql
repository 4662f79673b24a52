-- AlterTable
ALTER TABLE "image" ADD COLUMN     "path" TEXT;

-- A path has one live image in a dataset; deleted ones leave it to others.
CREATE UNIQUE INDEX "image_dataset_id_path_key" ON "image"("dataset_id", "path") WHERE "deleted_at" IS NULL AND "path" IS NOT NULL;
