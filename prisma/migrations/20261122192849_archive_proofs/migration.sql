-- AlterTable
ALTER TABLE "image" ADD COLUMN     "key_number" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "proof" CHAR(44);

-- AlterTable
ALTER TABLE "workspace" ADD COLUMN     "key_number" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "keys_made" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "old_checksum" CHAR(44),
ADD COLUMN     "old_key_number" INTEGER;

-- CreateTable
CREATE TABLE "installation_secret" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "secret" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "installation_secret_pkey" PRIMARY KEY ("id")
);
