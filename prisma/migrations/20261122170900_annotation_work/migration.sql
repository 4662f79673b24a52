-- DropIndex
DROP INDEX "annotation_class_id_idx";

-- AlterTable
ALTER TABLE "annotation_class" ADD COLUMN     "skeleton" JSONB,
ADD COLUMN     "supercategory" TEXT;

-- AlterTable
ALTER TABLE "export_job" ADD COLUMN     "assigned_only" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "project" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- AlterTable: the new columns are filled before they are required.
ALTER TABLE "image_review" ADD COLUMN     "annotated_at" TIMESTAMPTZ(3),
ADD COLUMN     "annotated_by" INTEGER,
ADD COLUMN     "assignee_id" INTEGER,
ADD COLUMN     "changed_xid" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "created_date" TIMESTAMPTZ(3),
ADD COLUMN     "dataset_id" UUID,
ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1,
ALTER COLUMN "reviewed_at" DROP NOT NULL;
UPDATE "image_review" r SET "dataset_id" = i."dataset_id", "created_date" = i."created_date",
  "annotated_by" = CASE r."state" WHEN 'ANNOTATED' THEN r."reviewed_by" END, "annotated_at" = CASE r."state" WHEN 'ANNOTATED' THEN r."reviewed_at" END
FROM "image" i WHERE i."id" = r."image_id";
ALTER TABLE "image_review" ALTER COLUMN "dataset_id" SET NOT NULL, ALTER COLUMN "created_date" SET NOT NULL, ALTER COLUMN "changed_xid" DROP DEFAULT, ALTER COLUMN "version" SET DEFAULT 0;
ALTER TABLE "image_review" DROP CONSTRAINT "image_review_state_check",
ADD CONSTRAINT "image_review_state_check" CHECK ("state" IN ('NONE', 'ANNOTATED', 'ACCEPTED', 'REJECTED') AND "version" >= 0);

-- CreateIndex
CREATE INDEX "annotation_class_id_image_id_idx" ON "annotation"("class_id", "image_id");

-- CreateIndex
CREATE INDEX "image_review_state_idx" ON "image_review"("project_id", "dataset_id", "state", "created_date", "image_id");

-- CreateIndex
CREATE INDEX "image_review_project_id_changed_xid_idx" ON "image_review"("project_id", "changed_xid");

-- All of them in the order of lists: to find what has no row, or none that counts, without looking each image up.
CREATE INDEX "image_review_order_idx" ON "image_review"("project_id", "dataset_id", "created_date", "image_id", "state", "assignee_id");

-- Images by who is to annotate them, and by who has.
CREATE INDEX "image_review_assignee_idx" ON "image_review"("project_id", "assignee_id", "dataset_id", "state", "created_date", "image_id") WHERE "assignee_id" IS NOT NULL;
CREATE INDEX "image_review_annotator_idx" ON "image_review"("project_id", "annotated_by", "dataset_id", "created_date", "image_id") WHERE "annotated_by" IS NOT NULL;

-- AddForeignKey
ALTER TABLE "image_review" ADD CONSTRAINT "image_review_assignee_id_fkey" FOREIGN KEY ("assignee_id") REFERENCES "user"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- What no writer can forget: the image's place, and which transaction changed the row.
CREATE FUNCTION "keep_image_review"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."changed_xid" := (pg_current_xact_id()::text)::bigint;
  IF TG_OP = 'INSERT' THEN
    SELECT i."dataset_id", i."created_date" INTO NEW."dataset_id", NEW."created_date" FROM "image" i WHERE i."id" = NEW."image_id";
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER "image_review_kept" BEFORE INSERT OR UPDATE ON "image_review" FOR EACH ROW EXECUTE FUNCTION "keep_image_review"();
