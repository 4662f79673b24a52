-- AlterTable
ALTER TABLE "annotation" ADD COLUMN "coco" JSONB;

ALTER TABLE "annotation" DROP CONSTRAINT "annotation_shape_check";
ALTER TABLE "annotation" ADD CONSTRAINT "annotation_shape_check" CHECK ("shape" IN ('BBOX', 'POLYGON', 'MASK', 'CLASSIFICATION') AND ("shape" = 'CLASSIFICATION') = ("geometry" IS NULL));
