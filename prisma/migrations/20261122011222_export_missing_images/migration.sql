-- AlterTable
ALTER TABLE "export_job" ADD COLUMN     "missing_images" INTEGER NOT NULL DEFAULT 0;
