-- AlterTable
ALTER TABLE "dept" ADD COLUMN     "external_id" TEXT,
ADD COLUMN     "removed_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "user" ADD COLUMN     "email" TEXT,
ADD COLUMN     "external_id" TEXT,
ADD COLUMN     "family_name" TEXT,
ADD COLUMN     "given_name" TEXT,
ADD COLUMN     "removed_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "scim_token" (
    "id" UUID NOT NULL,
    "domain_id" INTEGER NOT NULL,
    "prefix" CHAR(8) NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "scim_token_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "scim_token_token_hash_key" ON "scim_token"("token_hash");

-- CreateIndex
CREATE INDEX "scim_token_prefix_idx" ON "scim_token"("prefix");

-- CreateIndex
CREATE INDEX "scim_token_domain_id_idx" ON "scim_token"("domain_id");

-- CreateIndex
CREATE INDEX "user_domain_id_external_id_idx" ON "user"("domain_id", "external_id");

-- AddForeignKey
ALTER TABLE "scim_token" ADD CONSTRAINT "scim_token_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE CASCADE ON UPDATE CASCADE;
