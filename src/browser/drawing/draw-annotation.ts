import {
  labelledPoints,
  measure,
  numberRings,
} from '../../dataset-management/projects/annotations/geometry.ts';
import type { Drawable } from '../page/documents.ts';
import { shape, type Attributes } from '../page/element.ts';
import { placeOnThumbnail, THUMBNAIL } from './geometry-on-thumbnail.ts';

interface Size {
  width: number;
  height: number;
}

/** An annotation as SVG, in pixels of the image: a dark line under a coloured one, so that it shows on any image. */
export function drawAnnotation(drawn: Drawable, colour: string, image: Size): SVGGElement {
  const under = { class: 'under' };
  const over = { class: `over ${drawn.shape.toLowerCase()}`, stroke: colour, fill: colour };
  return shape(
    'g',
    {},
    shape('title', {}, drawn.className),
    outline(drawn, under, image),
    outline(drawn, over, image),
  );
}

/** Annotations over a thumbnail. */
export function drawOnThumbnail(
  drawn: readonly Drawable[],
  colourOf: (className: string) => string,
  image: Size,
): SVGSVGElement {
  const { scale, left, top } = placeOnThumbnail(image);
  return shape(
    'svg',
    { viewBox: `0 0 ${THUMBNAIL.width} ${THUMBNAIL.height}`, 'aria-hidden': 'true' },
    shape(
      'g',
      { transform: `translate(${left} ${top}) scale(${scale})` },
      drawn.map((one) => drawAnnotation(one, colourOf(one.className), image)),
    ),
  );
}

/** The box [x, y, width, height] around an annotation. */
export function boxAround(drawn: Drawable, image: Size): number[] {
  return measure(drawn, image).bbox;
}

function outline(drawn: Drawable, attributes: Attributes, image: Size): SVGElement[] {
  switch (drawn.shape) {
    case 'CLASSIFICATION':
      return [];
    case 'POLYGON':
      return numberRings(drawn.geometry).map((ring) =>
        shape('polygon', { ...attributes, points: ring.join(' ') }),
      );
    case 'POLYLINE':
      return numberRings(drawn.geometry).map((line) =>
        shape('polyline', { ...attributes, points: line.join(' ') }),
      );
    case 'POINTS':
      // A line without length has the size of its stroke on any scale.
      return labelledPoints(drawn.geometry).map(([x = 0, y = 0]) =>
        shape('path', { ...attributes, d: `M${x} ${y}h0` }),
      );
    case 'BBOX':
    case 'MASK': {
      const [x = 0, y = 0, width = 0, height = 0] = boxAround(drawn, image);
      return [shape('rect', { ...attributes, x, y, width, height })];
    }
  }
}
