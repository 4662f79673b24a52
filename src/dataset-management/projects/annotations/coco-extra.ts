import { z } from 'zod';
import { measure, type AnnotationInput } from './geometry.ts';

/** Data in a COCO file beyond the geometry of an annotation; only what differs from our own output. */
const schema = z.object({
  area: z.number().exactOptional(),
  bbox: z.array(z.number()).exactOptional(),
  iscrowd: z.literal(1).exactOptional(),
});
export type CocoExtra = z.infer<typeof schema>;

/** As it is stored with an annotation. */
export function parseCocoExtra(stored: unknown): CocoExtra | null {
  return stored === null ? null : schema.parse(stored);
}

type Shaped = Pick<AnnotationInput, 'shape' | 'geometry'>;
type Size = { width: number; height: number };

/** The data to store in addition to the geometry, so that the annotation can be exported as it was. */
export function cocoExtra(
  annotation: Shaped,
  image: Size,
  sent: { area?: number | undefined; bbox?: number[] | undefined; iscrowd?: number | undefined },
): CocoExtra | undefined {
  const ours = measure(annotation, image);
  const extra: CocoExtra = {
    ...(sent.area !== undefined && sent.area !== ours.area && { area: sent.area }),
    ...(sent.bbox?.some((value, at) => value !== ours.bbox[at]) && { bbox: sent.bbox }),
    ...(sent.iscrowd === 1 && { iscrowd: 1 }),
  };
  return Object.keys(extra).length > 0 ? extra : undefined;
}

/**
 * An annotation as COCO writes it, without the ids. COCO knows no classification of a whole image: `shape` tells it
 * from a box around all of it.
 */
export function presentCoco(
  annotation: Shaped & { coco: CocoExtra | null },
  image: Size,
): Record<string, unknown> {
  const { bbox, area, segmentation } = measure(annotation, image);
  const { coco, shape } = annotation;
  return {
    bbox: coco?.bbox ?? bbox,
    area: coco?.area ?? area,
    segmentation,
    iscrowd: coco?.iscrowd ?? 0,
    ...(shape === 'CLASSIFICATION' && { shape }),
  };
}
