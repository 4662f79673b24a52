-- AlterTable
ALTER TABLE "annotation" ADD COLUMN     "attributes" JSONB;

-- AlterTable
ALTER TABLE "export_job" ADD COLUMN     "split" TEXT NOT NULL DEFAULT '';

-- More shapes than before: the rows that are there need no look.
ALTER TABLE "annotation" DROP CONSTRAINT "annotation_shape_check";
ALTER TABLE "annotation" ADD CONSTRAINT "annotation_shape_check" CHECK ("shape" IN ('BBOX', 'POLYGON', 'POLYLINE', 'POINTS', 'MASK', 'CLASSIFICATION') AND ("shape" = 'CLASSIFICATION') = ("geometry" IS NULL)) NOT VALID;
