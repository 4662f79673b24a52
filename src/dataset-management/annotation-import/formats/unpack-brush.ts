import type { Mask } from '../../projects/annotations/mask.ts';
import type { ImageSize } from '../source/import-source.ts';

/** Pixels that are drawn at once. */
const BAND_PIXELS = 4_000_000;

/**
 * A mask from the bytes of Label Studio's brush (see `packBrush` of the exports): a pixel is inside where its fourth channel
 * is not 0. Undefined if the bytes are no brush of an image of this size.
 */
export function unpackBrush(
  bytes: readonly unknown[],
  { width, height }: ImageSize,
): Mask | undefined {
  const rows: Run[] = [];
  try {
    for (const run of insideRuns(new Bits(bytes), width * height)) rows.push(run);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return { size: [height, width], counts: columnRuns(rows, { width, height }) };
}

/** Pixels inside along the rows: from one on, up to the one behind the last. */
type Run = [from: number, to: number];

/** The runs inside, as they come. Throws RangeError. */
function* insideRuns(bits: Bits, pixels: number): Generator<Run> {
  const values = pixels * 4;
  if (bits.take(32) !== values) throw new RangeError('another size');
  const word = bits.take(5) + 1;
  const sizes = Array.from({ length: 4 }, () => bits.take(4) + 1);
  let open: Run | undefined;
  const inside = function* (from: number, to: number): Generator<Run> {
    // The fourth of four values each is that of the pixel.
    const [first, last] = [Math.ceil((from - 3) / 4), Math.floor((to - 4) / 4)];
    if (last < first) return;
    if (open && open[1] === first) open[1] = last + 1;
    else {
      if (open) yield open;
      open = [first, last + 1];
    }
  };
  for (let at = 0; at < values;) {
    const same = bits.take(1) === 1;
    const end = at + bits.take(sizes[bits.take(2)] ?? 1) + 1;
    if (end > values) throw new RangeError('too long');
    if (same) {
      if (bits.take(word) > 0) yield* inside(at, end);
    } else
      for (let one = at; one < end; one++)
        if (bits.take(word) > 0 && one % 4 === 3) yield* inside(one, one + 1);
    at = end;
  }
  if (open) yield open;
}

/** Runs along the rows as run lengths down the columns, a band of columns at a time. */
function columnRuns(rows: readonly Run[], { width, height }: ImageSize): number[] {
  const counts: number[] = [];
  let [inside, length] = [false, 0];
  const columns = Math.max(1, Math.floor(BAND_PIXELS / height));
  for (let left = 0; left < width; left += columns) {
    const count = Math.min(columns, width - left);
    const band = new Uint8Array(count * height);
    for (const [from, to] of rows)
      for (let at = from; at < to;) {
        const [y, x] = [Math.floor(at / width), at % width];
        const end = Math.min(to, (y + 1) * width) - y * width;
        for (let column = Math.max(x, left); column < Math.min(end, left + count); column++)
          band[(column - left) * height + y] = 1;
        at = y * width + end;
      }
    for (let at = 0; at < band.length;) {
      const value = band[at] === 1;
      const next = band.indexOf(value ? 0 : 1, at);
      const end = next === -1 ? band.length : next;
      if (value === inside) length += end - at;
      else {
        counts.push(length);
        [inside, length] = [value, end - at];
      }
      at = end;
    }
  }
  counts.push(length);
  return counts;
}

/** The bits of bytes, the highest first. */
class Bits {
  readonly #bytes: Uint8Array;
  #at = 0;

  /** Throws RangeError for what is no byte. */
  constructor(bytes: readonly unknown[]) {
    this.#bytes = new Uint8Array(bytes.length);
    for (const [at, byte] of bytes.entries()) {
      if (typeof byte !== 'number' || !Number.isInteger(byte) || byte < 0 || byte > 255)
        throw new RangeError('no byte');
      this.#bytes[at] = byte;
    }
  }

  /** A number of so many bits. Throws RangeError behind the end. */
  take(count: number): number {
    let value = 0;
    for (let left = count; left > 0;) {
      const byte = this.#bytes[this.#at >> 3];
      if (byte === undefined) throw new RangeError('behind the end');
      const here = 8 - (this.#at & 7);
      const some = Math.min(left, here);
      value = value * 2 ** some + ((byte >> (here - some)) & ((1 << some) - 1));
      left -= some;
      this.#at += some;
    }
    return value;
  }
}
