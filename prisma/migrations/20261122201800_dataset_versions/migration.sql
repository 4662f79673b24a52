-- AlterTable
ALTER TABLE "export_job" ADD COLUMN     "version_id" UUID;

-- CreateTable
CREATE TABLE "dataset_version" (
    "id" UUID NOT NULL,
    "dataset_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "notes" TEXT NOT NULL,
    "only_project" UUID,
    "state" TEXT NOT NULL DEFAULT 'FREEZING',
    "digest" CHAR(64),
    "images" INTEGER NOT NULL DEFAULT 0,
    "annotations" INTEGER NOT NULL DEFAULT 0,
    "creator_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "frozen_at" TIMESTAMPTZ(3),
    "alive_at" TIMESTAMPTZ(3),
    "runner" UUID,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "dataset_version_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "version_tree" (
    "version_id" UUID NOT NULL,
    "of_id" UUID NOT NULL,
    "classes" BIGINT,
    "chunks" BIGINT[] NOT NULL,

    CONSTRAINT "version_tree_pkey" PRIMARY KEY ("version_id","of_id")
);

-- CreateTable
CREATE TABLE "frozen_chunk" (
    "id" BIGSERIAL NOT NULL,
    "dataset_id" UUID NOT NULL,
    "items" BIGINT[] NOT NULL,
    "last_date" TIMESTAMPTZ(3) NOT NULL,
    "last_image" UUID NOT NULL,

    CONSTRAINT "frozen_chunk_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "frozen_item" (
    "id" BIGSERIAL NOT NULL,
    "dataset_id" UUID NOT NULL,
    "of_id" UUID NOT NULL,
    "image_id" UUID,
    "created_date" TIMESTAMPTZ(3) NOT NULL,
    "stamp" UUID NOT NULL,
    "hash" BYTEA NOT NULL,
    "content" TEXT NOT NULL,
    "blob_id" UUID,
    "thumb_hash" CHAR(64),
    "key_number" INTEGER NOT NULL DEFAULT 1,
    "proof" CHAR(44),
    "state" TEXT,
    "annotations" INTEGER NOT NULL DEFAULT 0,
    "points" JSONB,

    CONSTRAINT "frozen_item_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "dataset_version_state_alive_at_idx" ON "dataset_version"("state", "alive_at");

-- CreateIndex
CREATE UNIQUE INDEX "dataset_version_dataset_id_number_key" ON "dataset_version"("dataset_id", "number");

-- CreateIndex
CREATE INDEX "frozen_chunk_dataset_id_idx" ON "frozen_chunk"("dataset_id");

-- CreateIndex
CREATE INDEX "frozen_item_blob_id_idx" ON "frozen_item"("blob_id");

-- CreateIndex
CREATE UNIQUE INDEX "frozen_item_dataset_id_hash_key" ON "frozen_item"("dataset_id", "hash");

-- AddForeignKey
ALTER TABLE "dataset_version" ADD CONSTRAINT "dataset_version_dataset_id_fkey" FOREIGN KEY ("dataset_id") REFERENCES "dataset"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "version_tree" ADD CONSTRAINT "version_tree_version_id_fkey" FOREIGN KEY ("version_id") REFERENCES "dataset_version"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "frozen_chunk" ADD CONSTRAINT "frozen_chunk_dataset_id_fkey" FOREIGN KEY ("dataset_id") REFERENCES "dataset"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "frozen_item" ADD CONSTRAINT "frozen_item_dataset_id_fkey" FOREIGN KEY ("dataset_id") REFERENCES "dataset"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "frozen_item" ADD CONSTRAINT "frozen_item_blob_id_fkey" FOREIGN KEY ("blob_id") REFERENCES "blob"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Checks
ALTER TABLE "dataset_version" ADD CONSTRAINT "dataset_version_state_check" CHECK ("state" IN ('FREEZING', 'READY', 'FAILED') AND ("state" = 'READY') = ("digest" IS NOT NULL));

-- Whoever gives an image other bytes, as when it is encrypted anew, gives them to its versions, too: nobody may need a key of before.
CREATE FUNCTION "follow_image_bytes"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "frozen_item" SET "blob_id" = NEW."blob_id", "thumb_hash" = (SELECT b."sha256" FROM "blob" b WHERE b."id" = NEW."thumb_blob_id"), "key_number" = NEW."key_number", "proof" = NEW."proof"
    WHERE "blob_id" = OLD."blob_id" AND "image_id" = NEW."id";
  RETURN NULL;
END $$;
CREATE TRIGGER "image_bytes_followed" AFTER UPDATE OF "blob_id", "thumb_blob_id", "key_number", "proof" ON "image" FOR EACH ROW
  WHEN ((OLD."blob_id", OLD."thumb_blob_id", OLD."key_number", OLD."proof") IS DISTINCT FROM (NEW."blob_id", NEW."thumb_blob_id", NEW."key_number", NEW."proof")) EXECUTE FUNCTION "follow_image_bytes"();
