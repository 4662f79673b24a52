-- AlterTable
ALTER TABLE "session" ADD COLUMN     "written_lsn" DOUBLE PRECISION NOT NULL DEFAULT 0;
