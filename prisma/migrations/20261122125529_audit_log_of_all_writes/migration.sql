-- AlterTable
ALTER TABLE "audit_log" ADD COLUMN     "address" TEXT,
ADD COLUMN     "code" TEXT,
ADD COLUMN     "domain_id" INTEGER,
ADD COLUMN     "objects" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "outcome" TEXT NOT NULL DEFAULT 'DONE',
ADD COLUMN     "request_id" TEXT,
ADD COLUMN     "surface" TEXT,
ADD COLUMN     "times" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "user_id" INTEGER,
ALTER COLUMN "target" SET DEFAULT '';

-- Entries from before, for the administrators of their users' domains.
UPDATE "audit_log" a SET "user_id" = u."id", "domain_id" = u."domain_id" FROM "user" u WHERE a."actor" = 'user:' || u."id";

-- CreateIndex
CREATE INDEX "audit_log_domain_id_at_id_idx" ON "audit_log"("domain_id", "at", "id");

-- CreateIndex
CREATE INDEX "audit_log_domain_id_user_id_at_id_idx" ON "audit_log"("domain_id", "user_id", "at", "id");

-- CreateIndex
CREATE INDEX "audit_log_objects_idx" ON "audit_log" USING GIN ("objects");
