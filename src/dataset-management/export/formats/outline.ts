import { outlineOf } from '../../projects/annotations/coco-extra.ts';
import { measure, numberRings } from '../../projects/annotations/geometry.ts';
import { MOST_REWRITTEN, readMask, runsOf } from '../../projects/annotations/mask.ts';
import type { ExportedAnnotation, ExportedImage } from '../selection/select-images.ts';
import { traceMask } from './trace-mask.ts';

/** Left, top, right and bottom, in pixels. */
export interface Corners {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Pixels that a box has at least: less is nothing where places are rounded, and no box without a width is read again. */
const LEAST = 0.002;

/** The box of an annotation, that of its COCO file where there is one, cut to the image; undefined if it has no area. */
export function cornersOf(
  annotation: ExportedAnnotation,
  image: ExportedImage,
): Corners | undefined {
  const { segmentation } = annotation.coco ?? {};
  const measured = measure(segmentation ? outlineOf(segmentation) : annotation, image).bbox;
  const [x = 0, y = 0, width = 0, height = 0] = annotation.coco?.bbox ?? measured;
  const corners = {
    left: within(x, image.width),
    top: within(y, image.height),
    right: within(x + width, image.width),
    bottom: within(y + height, image.height),
  };
  const isArea = corners.right - corners.left >= LEAST && corners.bottom - corners.top >= LEAST;
  return isArea ? corners : undefined;
}

/**
 * The rings [x1, y1, …] around an annotation, cut to the image; a hole of a mask is a ring in the other direction.
 * Empty if it has no outline, undefined for a mask of too many runs.
 */
export function ringsOf(
  annotation: ExportedAnnotation,
  image: ExportedImage,
): number[][] | undefined {
  const { coco } = annotation;
  const { shape, geometry } = coco?.segmentation ? outlineOf(coco.segmentation) : annotation;
  const mask = shape === 'MASK' ? readMask(geometry, image) : undefined;
  if (mask && (runsOf(mask) ?? []).length > MOST_REWRITTEN) return undefined;
  const rings = mask ? traceMask(mask) : shape === 'POLYGON' ? numberRings(geometry) : [];
  return rings.map((ring) =>
    ring.map((value, at) => within(value, at % 2 === 0 ? image.width : image.height)),
  );
}

/**
 * Makes one ring of several: from the first point there and back to each of the others, so that the way has no area.
 */
export function joinRings(rings: readonly (readonly number[])[]): number[] {
  const [first = [], ...others] = rings;
  if (others.length === 0) return [...first];
  const home = first.slice(0, 2);
  return [...first, ...home, ...others.flatMap((ring) => [...ring, ...ring.slice(0, 2), ...home])];
}

/** A number of pixels, brought into the image. */
export function within(value: number, most: number): number {
  return Math.min(Math.max(value, 0), most);
}
