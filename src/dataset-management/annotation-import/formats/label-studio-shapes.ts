import type { ImageSize, SourceAnnotation } from '../source/import-source.ts';
import type { Region } from './label-studio-task.ts';
import { unpackBrush } from './unpack-brush.ts';

/** Digits that are kept of pixels: Label Studio counts in percent, as doubles. */
const PART = 1_000_000;

type Shaped = Pick<SourceAnnotation, 'shape' | 'geometry'>;

/** What a region shows: its shape, or why it can't be stored. */
export function shapeOfRegion(
  { type, value = {} }: Region,
  image: ImageSize,
): Shaped | { fault: string } {
  const x = (percent: number): number => pixels(percent, image.width);
  const y = (percent: number): number => pixels(percent, image.height);
  switch (type) {
    case 'rectanglelabels': {
      const [left, top] = [x(number(value['x'])), y(number(value['y']))];
      const [width, height] = [x(number(value['width'])), y(number(value['height']))];
      const rotation = value['rotation'] ?? 0;
      if (rotation === 0) return { shape: 'BBOX', geometry: [left, top, width, height] };
      if (typeof rotation !== 'number') return { fault: 'has a rotation that is no number' };
      return { shape: 'POLYGON', geometry: [turned([left, top, width, height], rotation)] };
    }
    case 'polygonlabels': {
      const points: unknown[] = Array.isArray(value['points']) ? value['points'] : [];
      const ring = points.flatMap((point) => {
        const pair: unknown[] = Array.isArray(point) ? point : [];
        return [x(number(pair[0])), y(number(pair[1]))];
      });
      return { shape: 'POLYGON', geometry: [ring] };
    }
    case 'brushlabels': {
      const bytes: unknown[] = Array.isArray(value['rle']) ? value['rle'] : [];
      const mask = unpackBrush(bytes, image);
      return 'fault' in mask ? mask : { shape: 'MASK', geometry: mask };
    }
    case 'keypointlabels':
      return { shape: 'POINTS', geometry: [x(number(value['x'])), y(number(value['y']))] };
    default:
      return { fault: `is of the type ${type}, which is not read` };
  }
}

/** The labels of a region: one, for choices several. */
export function labelsOf({ type, value = {} }: Region): string[] {
  const labels: unknown[] = Array.isArray(value[type]) ? value[type] : [];
  return labels.filter((label) => typeof label === 'string');
}

function number(value: unknown): number {
  return typeof value === 'number' ? value : NaN;
}

/** Of percent, to a millionth of a pixel. */
function pixels(percent: number, side: number): number {
  const rounded = Math.round((percent / 100) * side * PART) / PART;
  return rounded === 0 ? 0 : rounded;
}

/** The corners of a box that is turned around its first one, clockwise. */
function turned(box: readonly number[], degrees: number): number[] {
  const [left = 0, top = 0, width = 0, height = 0] = box;
  const angle = (degrees * Math.PI) / 180;
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  return [
    [0, 0],
    [width, 0],
    [width, height],
    [0, height],
  ].flatMap(([right = 0, down = 0]) => [
    left + right * cosine - down * sine,
    top + right * sine + down * cosine,
  ]);
}
