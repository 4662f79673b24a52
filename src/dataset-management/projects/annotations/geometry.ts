import { measureMask, readMask } from './mask.ts';

/**
 * BBOX [x, y, width, height]; POLYGON rings [x1, y1, x2, y2, …], the parts of one object; POLYLINE lines of the same
 * form, left open; POINTS [x1, y1, v1, x2, y2, v2, …] with the visibility of COCO: 0 not labelled, 1 hidden, 2 visible;
 * MASK run lengths of COCO; CLASSIFICATION none. In pixels of the upright image.
 */
export const annotationShapes = [
  'BBOX',
  'POLYGON',
  'POLYLINE',
  'POINTS',
  'MASK',
  'CLASSIFICATION',
] as const;
export type AnnotationShape = (typeof annotationShapes)[number];

/** What COCO calls the geometry of an annotation. */
export interface CocoGeometry {
  area: number;
  bbox: number[];
  segmentation: unknown;
}

export interface AnnotationInput {
  className: string;
  shape: AnnotationShape;
  geometry?: unknown;
  attributes?: unknown;
}

/** The problem with an annotation's geometry on an image of this size; undefined if there is none. */
export function geometryFault(
  input: Pick<AnnotationInput, 'shape' | 'geometry'>,
  size: { width: number; height: number },
): string | undefined {
  const { shape, geometry } = input;
  const inside: Inside = (x, y) =>
    isNumber(x) && isNumber(y) && x >= -1 && y >= -1 && x <= size.width + 1 && y <= size.height + 1;
  switch (shape) {
    case 'CLASSIFICATION':
      return geometry == null ? undefined : 'a classification has no geometry';
    case 'BBOX': {
      const sides: unknown[] = Array.isArray(geometry) && geometry.length === 4 ? geometry : [];
      const [x, y, width, height] = sides;
      const fits =
        isNumber(x) &&
        isNumber(y) &&
        isNumber(width) &&
        isNumber(height) &&
        width > 0 &&
        height > 0 &&
        inside(x, y) &&
        inside(x + width, y + height);
      return fits ? undefined : 'a box is [x, y, width, height] inside the image';
    }
    case 'POLYGON':
      return areLines(geometry, 3, inside)
        ? undefined
        : 'a polygon is a list of rings [x1, y1, x2, y2, x3, y3, …] inside the image';
    case 'POLYLINE':
      return areLines(geometry, 2, inside)
        ? undefined
        : 'a polyline is a list of lines [x1, y1, x2, y2, …] inside the image';
    case 'POINTS':
      return arePoints(geometry, inside)
        ? undefined
        : `points are a list [x1, y1, v1, x2, y2, v2, …], at most ${MAX_POINTS}; v is 0 (not labelled), or 1 (hidden) or 2 (visible) inside the image, one of them not 0`;
    case 'MASK':
      return readMask(geometry, size)
        ? undefined
        : 'a mask is {size: [height, width], counts}: run lengths, plain or compressed, that cover exactly the image';
  }
}

type Inside = (x: unknown, y: unknown) => boolean;

/** Points that one POINTS annotation may have. */
const MAX_POINTS = 1000;
/** Numbers of one ring or line: as many as the outline of a mask may have that an export makes one ring of. */
const MAX_NUMBERS = 1_000_000;

function areLines(geometry: unknown, fewest: number, inside: Inside): boolean {
  const lines: unknown[] = Array.isArray(geometry) ? geometry : [];
  return (
    lines.length > 0 &&
    lines.length <= 1000 &&
    lines.every(
      (line) =>
        Array.isArray(line) &&
        line.length >= 2 * fewest &&
        line.length <= MAX_NUMBERS &&
        line.length % 2 === 0 &&
        line.every((_, at) => at % 2 === 1 || inside(line[at], line[at + 1])),
    )
  );
}

function arePoints(geometry: unknown, inside: Inside): boolean {
  const numbers: unknown[] = Array.isArray(geometry) ? geometry : [];
  return (
    numbers.length <= 3 * MAX_POINTS &&
    numbers.length % 3 === 0 &&
    numbers.every((value, at) => {
      if (at % 3 === 2) return value === 0 || value === 1 || value === 2;
      // One that is not labelled may be anywhere: some programs write where it was left.
      return numbers[at - (at % 3) + 2] === 0
        ? isNumber(value)
        : at % 3 === 1 || inside(value, numbers[at + 1]);
    }) &&
    labelledPoints(numbers).length > 0
  );
}

/** The points [x, y, visibility] of a POINTS geometry. */
export function pointsOf(geometry: unknown): number[][] {
  const [numbers = []] = numberRings([geometry]);
  return Array.from({ length: numbers.length / 3 }, (_, at) => numbers.slice(3 * at, 3 * at + 3));
}

/** The places [x, y] of those that are labelled, hidden or not. */
export function labelledPoints(geometry: unknown): number[][] {
  return pointsOf(geometry)
    .filter(([, , visibility]) => visibility !== 0)
    .map(([x = 0, y = 0]) => [x, y]);
}

/**
 * Area and bounding box as COCO wants them; a classification is of the whole image, lines and points have the area of
 * their box.
 */
export function measure(
  { shape, geometry }: Pick<AnnotationInput, 'shape' | 'geometry'>,
  image: { width: number; height: number },
): CocoGeometry {
  if (shape === 'CLASSIFICATION')
    return {
      area: image.width * image.height,
      bbox: [0, 0, image.width, image.height],
      segmentation: [],
    };
  const mask = shape === 'MASK' ? readMask(geometry, image) : undefined;
  if (mask) return { ...measureMask(mask), segmentation: mask };
  const rings = shape === 'POLYGON' ? numberRings(geometry) : [];
  const [x = 0, y = 0, width = 0, height = 0] =
    shape === 'BBOX' ? (numberRings([geometry])[0] ?? []) : boundsOf(linesOf({ shape, geometry }));
  const area =
    shape === 'POLYGON'
      ? rings.reduce((sum, ring) => sum + Math.abs(signedArea(ring)), 0)
      : width * height;
  return { area, bbox: [x, y, width, height], segmentation: rings };
}

/** What of a geometry of points has its bounds. */
function linesOf({ shape, geometry }: Pick<AnnotationInput, 'shape' | 'geometry'>): number[][] {
  return shape === 'POINTS' ? [labelledPoints(geometry).flat()] : numberRings(geometry);
}

/** The rings or lines of a POLYGON or POLYLINE. */
export function numberRings(geometry: unknown): number[][] {
  return Array.isArray(geometry)
    ? geometry.map((ring) => (Array.isArray(ring) ? ring.filter(isNumber) : []))
    : [];
}

function boundsOf(rings: readonly (readonly number[])[]): number[] {
  const bounds = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const ring of rings) {
    ring.forEach((value, at) => {
      if (at % 2 === 0)
        [bounds.left, bounds.right] = [Math.min(bounds.left, value), Math.max(bounds.right, value)];
      else
        [bounds.top, bounds.bottom] = [Math.min(bounds.top, value), Math.max(bounds.bottom, value)];
    });
  }
  return Number.isFinite(bounds.left)
    ? [bounds.left, bounds.top, bounds.right - bounds.left, bounds.bottom - bounds.top]
    : [];
}

function signedArea(ring: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < ring.length; at += 2) {
    const [x1 = 0, y1 = 0] = [ring[at], ring[at + 1]];
    const [x2 = 0, y2 = 0] = [ring[(at + 2) % ring.length], ring[(at + 3) % ring.length]];
    sum += x1 * y2 - x2 * y1;
  }
  return sum / 2;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
