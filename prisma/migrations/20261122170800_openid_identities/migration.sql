-- AlterTable
ALTER TABLE "session" ADD COLUMN     "proof" BYTEA;

-- CreateTable
CREATE TABLE "user_identity" (
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "user_identity_pkey" PRIMARY KEY ("issuer","subject")
);

-- CreateIndex
CREATE UNIQUE INDEX "user_identity_user_id_key" ON "user_identity"("user_id");

-- By hand: most sessions have none.
CREATE UNIQUE INDEX "session_proof" ON "session"("proof") WHERE "proof" IS NOT NULL;

-- AddForeignKey
ALTER TABLE "user_identity" ADD CONSTRAINT "user_identity_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;
