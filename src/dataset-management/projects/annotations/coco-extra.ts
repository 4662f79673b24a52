import * as z from 'zod';
import type { Attributes } from './attributes.ts';
import { labelledPoints, measure, type AnnotationInput } from './geometry.ts';

/** Data in a COCO file beyond the geometry of an annotation; only what differs from our own output. */
const schema = z.object({
  area: z.number().exactOptional(),
  bbox: z.array(z.number()).exactOptional(),
  iscrowd: z.literal(1).exactOptional(),
  /** Of POINTS, which are the geometry themselves. */
  segmentation: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]).exactOptional(),
  /** Of which none is labelled; others are the geometry of POINTS. */
  keypoints: z.array(z.literal(0)).exactOptional(),
});
export type CocoExtra = z.infer<typeof schema>;

/** What a file says of an annotation besides its geometry. */
export interface CocoSent {
  area?: number | undefined;
  bbox?: number[] | undefined;
  iscrowd?: number | undefined;
  segmentation?: CocoExtra['segmentation'] | undefined;
  keypoints?: number[] | undefined;
}

/** As it is stored with an annotation. */
export function parseCocoExtra(stored: unknown): CocoExtra | null {
  return stored === null ? null : schema.parse(stored);
}

type Shaped = Pick<AnnotationInput, 'shape' | 'geometry'>;
type Size = { width: number; height: number };

/** The data to store in addition to the geometry, so that the annotation can be exported as it was. */
export function cocoExtra(annotation: Shaped, image: Size, sent: CocoSent): CocoExtra | undefined {
  const ours = measure(annotation, image);
  const extra: CocoExtra = {
    ...(sent.area !== undefined && sent.area !== ours.area && { area: sent.area }),
    ...(sent.bbox?.some((value, at) => value !== ours.bbox[at]) && { bbox: sent.bbox }),
    ...(sent.iscrowd === 1 && { iscrowd: 1 }),
    ...(annotation.shape === 'POINTS' &&
      sent.segmentation &&
      !isEmptyList(sent.segmentation) && { segmentation: sent.segmentation }),
    ...(annotation.shape !== 'POINTS' &&
      sent.keypoints &&
      sent.keypoints.length > 0 && { keypoints: sent.keypoints.map(() => 0 as const) }),
  };
  return Object.keys(extra).length > 0 ? extra : undefined;
}

/** An outline of COCO as the geometry of its shape. */
export function outlineOf(segmentation: object): Shaped {
  return { shape: Array.isArray(segmentation) ? 'POLYGON' : 'MASK', geometry: segmentation };
}

/** A list of no rings, or of empty ones, as some programs write it for a box. */
export function isEmptyList(value: object): boolean {
  return Array.isArray(value) && value.every((ring) => Array.isArray(ring) && ring.length === 0);
}

/**
 * An annotation as COCO writes it, without the ids. COCO knows neither classifications of a whole image nor lines:
 * `shape` tells them from boxes, and `polyline` has the lines.
 */
export function presentCoco(
  annotation: Shaped & { coco: CocoExtra | null; attributes: Attributes | null },
  image: Size,
): Record<string, unknown> {
  const { bbox, area, segmentation } = measure(annotation, image);
  const { attributes, coco, geometry, shape } = annotation;
  return {
    bbox: coco?.bbox ?? bbox,
    area: coco?.area ?? area,
    segmentation: coco?.segmentation ?? segmentation,
    iscrowd: coco?.iscrowd ?? 0,
    ...(shape === 'POINTS' && {
      keypoints: geometry,
      num_keypoints: labelledPoints(geometry).length,
    }),
    ...(coco?.keypoints && { keypoints: coco.keypoints, num_keypoints: 0 }),
    ...(shape === 'POLYLINE' && { shape, polyline: geometry }),
    ...(shape === 'CLASSIFICATION' && { shape }),
    ...(attributes && { attributes }),
  };
}
