import { pointsOf } from '../../projects/annotations/geometry.ts';
import type { ExportedAnnotation, ExportedImage } from '../selection/select-images.ts';
import { countPoints } from './name-points.ts';
import { cornersOf, joinRings, ringsOf, within } from './outline.ts';

export type YoloFormat = 'YOLO' | 'YOLO_SEGMENT' | 'YOLO_POSE';

/** A line of a label file without its class, and what it lost; or why there is none. */
export type YoloLine = { numbers: number[]; losses: string[] } | { leftOut: string };

/** An annotation in parts of its image: a box, an outline, or a box with so many points. */
export function yoloLine(
  format: YoloFormat,
  annotation: ExportedAnnotation,
  image: ExportedImage,
  points: number,
): YoloLine {
  const { attributes, coco, shape } = annotation;
  if (shape === 'CLASSIFICATION') return { leftOut: 'the whole image: YOLO wants a place' };
  if (coco?.iscrowd) return { leftOut: 'a crowd: YOLO knows single objects only' };
  const losses = attributes ? ['without attributes'] : [];
  if (format === 'YOLO_SEGMENT') return outlineLine(annotation, image, losses);
  const box = boxOf(annotation, image);
  if (!box) return { leftOut: 'its box has no area inside the image' };
  if (shape === 'POLYGON' || shape === 'MASK' || coco?.segmentation)
    losses.unshift('without its outline');
  if (shape === 'POLYLINE') losses.unshift('the box around its lines');
  if (format === 'YOLO_POSE') {
    // It came while the export runs, when their number was settled.
    if (countPoints(annotation) > points) losses.unshift(`only ${points} of its points`);
    return { numbers: [...box, ...pose(annotation, image, points)], losses };
  }
  if (shape === 'POINTS') losses.unshift('without its points');
  return { numbers: box, losses };
}

function outlineLine(
  annotation: ExportedAnnotation,
  image: ExportedImage,
  losses: string[],
): YoloLine {
  const { shape, coco } = annotation;
  if (shape === 'POLYLINE') return { leftOut: 'a line has no area' };
  if (shape === 'POINTS') losses.unshift('without its points');
  const rings = ringsOf(annotation, image);
  if (!rings) return { leftOut: 'its outline would have too many corners' };
  if (rings.length === 0) {
    const corners = cornersOf(annotation, image);
    if (!corners) return { leftOut: 'its box has no area inside the image' };
    const { left, top, right, bottom } = corners;
    rings.push([left, top, right, top, right, bottom, left, bottom]);
    losses.unshift('the box as its outline');
  } else if (rings.length > 1)
    losses.unshift(
      shape === 'MASK' || !Array.isArray(coco?.segmentation ?? [])
        ? 'parts and holes joined by lines of no width'
        : 'parts joined by lines of no width',
    );
  return {
    numbers: joinRings(rings).map(
      (value, at) => value / (at % 2 === 0 ? image.width : image.height),
    ),
    losses,
  };
}

/** Centre and size. */
function boxOf(annotation: ExportedAnnotation, image: ExportedImage): number[] | undefined {
  const corners = cornersOf(annotation, image);
  if (!corners) return undefined;
  const { left, top, right, bottom } = corners;
  return [
    (left + right) / 2 / image.width,
    (top + bottom) / 2 / image.height,
    (right - left) / image.width,
    (bottom - top) / image.height,
  ];
}

/** As many points for each object: those that are not labelled are zeros. */
function pose(
  { shape, geometry }: ExportedAnnotation,
  image: ExportedImage,
  count: number,
): number[] {
  const given = shape === 'POINTS' ? pointsOf(geometry) : [];
  return Array.from({ length: count }, (_, at) => {
    const [x = 0, y = 0, visibility = 0] = given[at] ?? [];
    return visibility === 0
      ? [0, 0, 0]
      : [within(x, image.width) / image.width, within(y, image.height) / image.height, visibility];
  }).flat();
}
