-- AlterTable
ALTER TABLE "feed" ADD COLUMN     "reopened_at" TIMESTAMPTZ(3);
