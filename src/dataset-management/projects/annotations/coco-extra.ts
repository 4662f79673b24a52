import { measure, type AnnotationInput } from './geometry.ts';

/** What a COCO file says of an annotation and its geometry does not: only what differs from what we would write ourselves. */
export interface CocoExtra {
  area?: number;
  bbox?: number[];
  iscrowd?: 1;
}

type Shaped = Pick<AnnotationInput, 'shape' | 'geometry'>;
type Size = { width: number; height: number };

/** What has to be kept beside the geometry, so that the annotation can be written as it was sent. */
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

/** An annotation as COCO writes it, without the ids. COCO knows no classification of a whole image: `shape` tells it from a box around all of it. */
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
