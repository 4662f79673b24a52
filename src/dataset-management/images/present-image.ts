import * as z from 'zod';
import { type DatasetImage, isoInstant } from './image.ts';

const count = z.int().meta({ format: 'int32' });

const datasetImage = z
  .object({
    id: z.uuid(),
    name: z.string(),
    width: count.nullable(),
    height: count.nullable(),
    createdDate: z.iso.datetime(),
    hasAnnotations: z.boolean(),
  })
  .meta({ id: 'DatasetImage' });

/** A page of images as OpenAPI describes it. */
export const imagePage = z
  .object({ pagesCount: count, pageNumber: count, totalCount: count, data: z.array(datasetImage) })
  .meta({ id: 'DatasetImagePage' });

/** DatasetImage (F211). */
export function presentImage(image: DatasetImage): z.infer<typeof datasetImage> {
  return {
    id: image.id,
    name: image.name,
    width: image.width,
    height: image.height,
    createdDate: isoInstant(image.createdDate),
    hasAnnotations: image.hasAnnotations,
  };
}
