import { isRecord } from '../../../core/json-values.ts';

/**
 * A mask as COCO writes it: run lengths down the columns, of what is outside and inside in turn; as numbers, or as
 * COCO's compressed text.
 */
export interface Mask {
  /** Height and width. */
  size: [number, number];
  counts: number[] | string;
}

interface MaskMeasure {
  area: number;
  /** x, y, width, height; zeros when nothing is inside. */
  bbox: [number, number, number, number];
}

/** The mask for an image of this size; undefined if it is invalid. */
export function readMask(
  value: unknown,
  image: { width: number; height: number },
): Mask | undefined {
  if (!isRecord(value)) return undefined;
  const { size, counts, ...others } = value;
  const sides: readonly unknown[] = Array.isArray(size) ? size : [];
  if (sides.length !== 2 || sides[0] !== image.height || sides[1] !== image.width) return undefined;
  if (Object.keys(others).length > 0) return undefined;
  if (typeof counts !== 'string' && !isRuns(counts)) return undefined;
  const mask: Mask = { size: [image.height, image.width], counts };
  const pixels = image.width * image.height;
  // Empty runs may stand between others, but not without end: a run takes memory for as long as the mask is read.
  const most = 2 * pixels + 2;
  if (counts.length > (typeof counts === 'string' ? MOST_OF_RUN * most : most)) return undefined;
  const runs = runsOf(mask) ?? [];
  const sum = runs.reduce((total, run) => total + run, 0);
  return sum === pixels && runs.length <= most ? mask : undefined;
}

/** Characters of a run in the compressed text. */
const MOST_OF_RUN = 7;

/** What a mask covers. */
export function measureMask(mask: Mask): MaskMeasure {
  const [height] = mask.size;
  const bounds = { left: Infinity, top: Infinity, right: -1, bottom: -1 };
  let [start, area] = [0, 0];
  (runsOf(mask) ?? []).forEach((run, index) => {
    if (index % 2 === 1 && run > 0) {
      area += run;
      const [first, last] = [Math.floor(start / height), Math.floor((start + run - 1) / height)];
      // A run that goes on in the next column touches both edges.
      const [top, bottom] =
        first === last ? [start % height, (start + run - 1) % height] : [0, height - 1];
      bounds.left = Math.min(bounds.left, first);
      bounds.right = Math.max(bounds.right, last);
      bounds.top = Math.min(bounds.top, top);
      bounds.bottom = Math.max(bounds.bottom, bottom);
    }
    start += run;
  });
  const { left, top, right, bottom } = bounds;
  return {
    area,
    bbox: area === 0 ? [0, 0, 0, 0] : [left, top, right - left + 1, bottom - top + 1],
  };
}

/** Runs of a mask that is written in another form in one go, while everybody waits: that of a photo has some thousand. */
export const MOST_REWRITTEN = 100_000;

/** The run lengths; undefined if the compressed text is broken. */
export function runsOf({ counts }: Mask): number[] | undefined {
  return typeof counts === 'string' ? decompress(counts) : counts;
}

/**
 * COCO's compression: five bits a character from `0` on, the lowest first; the sixth says that more follow. From the
 * fourth run on it is the difference to the last but one.
 */
function decompress(text: string): number[] | undefined {
  const runs: number[] = [];
  for (let at = 0; at < text.length;) {
    let [value, weight, code] = [0, 1, 0];
    do {
      code = text.charCodeAt(at++) - 48;
      if (!(code >= 0 && code < 64) || weight > 2 ** 30) return undefined;
      value += (code & 31) * weight;
      weight *= 32;
    } while (code & 32);
    if (code & 16) value -= weight;
    const run = value + (runs.length > 2 ? (runs[runs.length - 2] ?? 0) : 0);
    if (run < 0) return undefined;
    runs.push(run);
  }
  return runs;
}

function isRuns(value: unknown): value is number[] {
  return (
    Array.isArray(value) &&
    value.every((run: unknown) => typeof run === 'number' && Number.isSafeInteger(run) && run >= 0)
  );
}
