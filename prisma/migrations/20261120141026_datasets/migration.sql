-- CreateTable
CREATE TABLE "workspace" (
    "id" UUID NOT NULL,
    "domain_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "encrypted" BOOLEAN NOT NULL DEFAULT false,
    "encryption_checksum" CHAR(44),
    "encrypted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "workspace_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workspace_member" (
    "workspace_id" UUID NOT NULL,
    "user_id" INTEGER NOT NULL,
    "role" TEXT NOT NULL,

    CONSTRAINT "workspace_member_pkey" PRIMARY KEY ("workspace_id","user_id")
);

-- CreateTable
CREATE TABLE "dataset" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'DRAFT',
    "published_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "dataset_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "blob" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "sha256" CHAR(64) NOT NULL,
    "crc32" BIGINT NOT NULL,
    "byte_size" BIGINT NOT NULL,
    "storage_key" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "blob_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "image" (
    "id" UUID NOT NULL,
    "dataset_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "width" INTEGER NOT NULL,
    "height" INTEGER NOT NULL,
    "mime_type" TEXT,
    "blob_id" UUID NOT NULL,
    "thumb_blob_id" UUID NOT NULL,
    "annotation_count" INTEGER NOT NULL DEFAULT 0,
    "created_date" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "image_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "project" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'DRAFT',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "project_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "project_dataset" (
    "project_id" UUID NOT NULL,
    "dataset_id" UUID NOT NULL,
    "assigned_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "project_dataset_pkey" PRIMARY KEY ("project_id","dataset_id")
);

-- CreateTable
CREATE TABLE "project_member" (
    "project_id" UUID NOT NULL,
    "user_id" INTEGER NOT NULL,

    CONSTRAINT "project_member_pkey" PRIMARY KEY ("project_id","user_id")
);

-- CreateTable
CREATE TABLE "annotation_class" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "color" CHAR(7) NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "annotation_class_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "annotation" (
    "id" UUID NOT NULL,
    "image_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "class_id" UUID NOT NULL,
    "shape" TEXT NOT NULL,
    "geometry" JSONB,
    "created_by" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "annotation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "image_review" (
    "image_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "state" TEXT NOT NULL,
    "reviewed_by" INTEGER,
    "reviewed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "image_review_pkey" PRIMARY KEY ("project_id","image_id")
);

-- CreateTable
CREATE TABLE "export_job" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "owner_id" INTEGER NOT NULL,
    "filter" TEXT NOT NULL,
    "format" TEXT NOT NULL DEFAULT 'NATIVE',
    "state" TEXT NOT NULL DEFAULT 'QUEUED',
    "progress" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "storage_key" TEXT,
    "byte_size" BIGINT,
    "sha256" CHAR(64),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "alive_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "export_job_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "workspace_domain_id_created_at_id_idx" ON "workspace"("domain_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "workspace_member_user_id_idx" ON "workspace_member"("user_id");

-- CreateIndex
CREATE INDEX "dataset_workspace_id_created_at_id_idx" ON "dataset"("workspace_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "blob_storage_key_key" ON "blob"("storage_key");

-- CreateIndex
CREATE UNIQUE INDEX "blob_workspace_id_sha256_key" ON "blob"("workspace_id", "sha256");

-- CreateIndex
CREATE INDEX "image_dataset_id_created_date_id_idx" ON "image"("dataset_id", "created_date", "id");

-- CreateIndex
CREATE INDEX "image_blob_id_idx" ON "image"("blob_id");

-- CreateIndex
CREATE INDEX "image_thumb_blob_id_idx" ON "image"("thumb_blob_id");

-- CreateIndex
CREATE INDEX "project_workspace_id_created_at_id_idx" ON "project"("workspace_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "project_dataset_dataset_id_idx" ON "project_dataset"("dataset_id");

-- CreateIndex
CREATE INDEX "project_member_user_id_idx" ON "project_member"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "annotation_class_project_id_name_key" ON "annotation_class"("project_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "annotation_class_project_id_position_key" ON "annotation_class"("project_id", "position");

-- CreateIndex
CREATE INDEX "annotation_image_id_project_id_id_idx" ON "annotation"("image_id", "project_id", "id");

-- CreateIndex
CREATE INDEX "annotation_project_id_idx" ON "annotation"("project_id");

-- CreateIndex
CREATE INDEX "annotation_class_id_idx" ON "annotation"("class_id");

-- CreateIndex
CREATE INDEX "image_review_image_id_idx" ON "image_review"("image_id");

-- CreateIndex
CREATE UNIQUE INDEX "export_job_storage_key_key" ON "export_job"("storage_key");

-- CreateIndex
CREATE INDEX "export_job_state_alive_at_idx" ON "export_job"("state", "alive_at");

-- AddForeignKey
ALTER TABLE "workspace" ADD CONSTRAINT "workspace_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workspace_member" ADD CONSTRAINT "workspace_member_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workspace_member" ADD CONSTRAINT "workspace_member_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dataset" ADD CONSTRAINT "dataset_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "blob" ADD CONSTRAINT "blob_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "image" ADD CONSTRAINT "image_dataset_id_fkey" FOREIGN KEY ("dataset_id") REFERENCES "dataset"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "image" ADD CONSTRAINT "image_blob_id_fkey" FOREIGN KEY ("blob_id") REFERENCES "blob"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "image" ADD CONSTRAINT "image_thumb_blob_id_fkey" FOREIGN KEY ("thumb_blob_id") REFERENCES "blob"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project" ADD CONSTRAINT "project_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_dataset" ADD CONSTRAINT "project_dataset_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_dataset" ADD CONSTRAINT "project_dataset_dataset_id_fkey" FOREIGN KEY ("dataset_id") REFERENCES "dataset"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_member" ADD CONSTRAINT "project_member_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_member" ADD CONSTRAINT "project_member_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "annotation_class" ADD CONSTRAINT "annotation_class_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "annotation" ADD CONSTRAINT "annotation_image_id_fkey" FOREIGN KEY ("image_id") REFERENCES "image"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "annotation" ADD CONSTRAINT "annotation_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "annotation" ADD CONSTRAINT "annotation_class_id_fkey" FOREIGN KEY ("class_id") REFERENCES "annotation_class"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "image_review" ADD CONSTRAINT "image_review_image_id_fkey" FOREIGN KEY ("image_id") REFERENCES "image"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "image_review" ADD CONSTRAINT "image_review_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "export_job" ADD CONSTRAINT "export_job_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "export_job" ADD CONSTRAINT "export_job_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma can't say.

ALTER TABLE "workspace" ADD CONSTRAINT "workspace_encryption_check" CHECK ("encrypted" = ("encryption_checksum" IS NOT NULL) AND "encrypted" = ("encrypted_at" IS NOT NULL));
ALTER TABLE "workspace_member" ADD CONSTRAINT "workspace_member_role_check" CHECK ("role" IN ('OWNER', 'MANAGER', 'DEVELOPER', 'ANNOTATOR'));
ALTER TABLE "dataset" ADD CONSTRAINT "dataset_status_check" CHECK ("status" IN ('DRAFT', 'PUBLISHED') AND ("status" = 'PUBLISHED') = ("published_at" IS NOT NULL));
ALTER TABLE "project" ADD CONSTRAINT "project_status_check" CHECK ("status" IN ('DRAFT', 'PUBLISHED'));
ALTER TABLE "blob" ADD CONSTRAINT "blob_values_check" CHECK ("sha256" ~ '^[0-9a-f]{64}$' AND "byte_size" >= 0 AND "crc32" BETWEEN 0 AND 4294967295);
ALTER TABLE "image" ADD CONSTRAINT "image_size_check" CHECK ("width" > 0 AND "height" > 0 AND "annotation_count" >= 0);
ALTER TABLE "annotation_class" ADD CONSTRAINT "annotation_class_values_check" CHECK ("color" ~ '^#[0-9a-f]{6}$' AND "position" > 0);
ALTER TABLE "annotation" ADD CONSTRAINT "annotation_shape_check" CHECK ("shape" IN ('BBOX', 'POLYGON', 'CLASSIFICATION') AND ("shape" = 'CLASSIFICATION') = ("geometry" IS NULL));
ALTER TABLE "image_review" ADD CONSTRAINT "image_review_state_check" CHECK ("state" IN ('ANNOTATED', 'ACCEPTED', 'REJECTED'));
ALTER TABLE "export_job" ADD CONSTRAINT "export_job_values_check" CHECK (
  "state" IN ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED') AND "filter" IN ('ALL', 'ACCEPTED', 'ANNOTATED', 'CONFIG_ONLY') AND "progress" BETWEEN 0 AND 1);

-- image.annotation_count, once for each statement however many rows it writes.
CREATE FUNCTION "count_annotations"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE "image" i SET "annotation_count" = i."annotation_count" + c.n
    FROM (SELECT "image_id", count(*) AS n FROM added GROUP BY "image_id") c WHERE i."id" = c."image_id";
  ELSE
    UPDATE "image" i SET "annotation_count" = i."annotation_count" - c.n
    FROM (SELECT "image_id", count(*) AS n FROM removed GROUP BY "image_id") c WHERE i."id" = c."image_id";
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "annotation_added" AFTER INSERT ON "annotation" REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "count_annotations"();
CREATE TRIGGER "annotation_removed" AFTER DELETE ON "annotation" REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "count_annotations"();
-- An annotation never moves to another image; it is removed and made anew.
CREATE FUNCTION "keep_annotation_place"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'an annotation can not move to another image or project';
END $$;
CREATE TRIGGER "annotation_moved" BEFORE UPDATE ON "annotation" FOR EACH ROW
  WHEN (OLD."image_id" <> NEW."image_id" OR OLD."project_id" <> NEW."project_id") EXECUTE FUNCTION "keep_annotation_place"();
