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
  let [sum, runs] = [0, 0];
  const isWhole = eachRun(mask, (run) => {
    sum += run;
    runs++;
  });
  return isWhole && sum === pixels && runs <= most ? mask : undefined;
}

/** Characters of a run in the compressed text. */
const MOST_OF_RUN = 7;

/** What a mask covers. */
export function measureMask(mask: Mask): MaskMeasure {
  const [height] = mask.size;
  let [left, top, right, bottom] = [Infinity, Infinity, -1, -1];
  let [start, area, isInside] = [0, 0, false];
  eachRun(mask, (run) => {
    if (isInside && run > 0) {
      area += run;
      const [first, last] = [Math.floor(start / height), Math.floor((start + run - 1) / height)];
      // A run that goes on in the next column touches both edges.
      const isOne = first === last;
      left = Math.min(left, first);
      right = Math.max(right, last);
      top = Math.min(top, isOne ? start % height : 0);
      bottom = Math.max(bottom, isOne ? (start + run - 1) % height : height - 1);
    }
    isInside = !isInside;
    start += run;
  });
  return {
    area,
    bbox: area === 0 ? [0, 0, 0, 0] : [left, top, right - left + 1, bottom - top + 1],
  };
}

/** Runs of a mask that is written in another form in one go, while everybody waits: that of a photo has some thousand. */
export const MOST_REWRITTEN = 100_000;

/** The run lengths; undefined if the compressed text is broken. */
export function runsOf(mask: Mask): number[] | undefined {
  if (typeof mask.counts !== 'string') return mask.counts;
  const runs: number[] = [];
  return eachRun(mask, (run) => void runs.push(run)) ? runs : undefined;
}

/**
 * Gives each run, however many there are, without all of them in memory; false if the compressed text is broken. COCO's
 * compression: five bits a character from `0` on, the lowest first; the sixth says that more follow. From the fourth run on
 * it is the difference to the last but one.
 */
function eachRun({ counts }: Mask, visit: (run: number) => void): boolean {
  if (typeof counts !== 'string') {
    for (const run of counts) visit(run);
    return true;
  }
  let [number, last, lastButOne] = [0, 0, 0];
  for (let at = 0; at < counts.length; number++) {
    let [value, weight, code] = [0, 1, 0];
    do {
      code = counts.charCodeAt(at++) - 48;
      if (!(code >= 0 && code < 64) || weight > 2 ** 30) return false;
      value += (code & 31) * weight;
      weight *= 32;
    } while (code & 32);
    if (code & 16) value -= weight;
    const run = value + (number > 2 ? lastButOne : 0);
    if (run < 0) return false;
    [lastButOne, last] = [last, run];
    visit(run);
  }
  return true;
}

function isRuns(value: unknown): value is number[] {
  return (
    Array.isArray(value) &&
    value.every((run: unknown) => typeof run === 'number' && Number.isSafeInteger(run) && run >= 0)
  );
}
