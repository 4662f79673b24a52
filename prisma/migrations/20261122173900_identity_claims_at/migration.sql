-- AlterTable
ALTER TABLE "user_identity" ADD COLUMN     "claims_at" TIMESTAMPTZ(3);
