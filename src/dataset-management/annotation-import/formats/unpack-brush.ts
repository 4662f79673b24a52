import type { Mask } from '../../projects/annotations/mask.ts';
import { turnMask } from '../../projects/annotations/turn-mask.ts';
import type { ImageSize } from '../source/import-source.ts';

/** Runs that a mask may have: a few bytes can be stripes across a large image. */
const MOST_RUNS = 1_000_000;

/**
 * A mask from the bytes of Label Studio's brush (see `packBrush` of the exports): a pixel is inside where its fourth channel
 * is not 0. Or why there is none.
 */
export function unpackBrush(
  bytes: readonly unknown[],
  { width, height }: ImageSize,
): Mask | { fault: string } {
  let rows: number[];
  try {
    rows = insideOf(new Bits(bytes), width * height);
  } catch (error) {
    if (error instanceof RangeError)
      return { fault: `is no brush of an image of ${width} × ${height}` };
    throw error;
  }
  const counts: number[] = [];
  turnMask(rows, { length: width, lines: height }, (pixels, inside) => {
    if (inside && counts.length === 0) counts.push(0);
    counts.push(pixels);
    return counts.length <= MOST_RUNS;
  });
  return counts.length <= MOST_RUNS
    ? { size: [height, width], counts }
    : { fault: `is a brush of more than ${MOST_RUNS} pieces` };
}

/** The pixels inside along the rows: from one on and up to the one behind the last, in turn. Throws RangeError. */
function insideOf(bits: Bits, pixels: number): number[] {
  const values = pixels * 4;
  if (bits.take(32) !== values) throw new RangeError('another size');
  const word = bits.take(5) + 1;
  const sizes = Array.from({ length: 4 }, () => bits.take(4) + 1);
  const rows: number[] = [];
  const add = (from: number, to: number): void => {
    // The fourth of four values each is that of the pixel.
    const [first, last] = [Math.ceil((from - 3) / 4), Math.floor((to - 4) / 4)];
    if (last < first) return;
    if (rows.at(-1) === first) rows[rows.length - 1] = last + 1;
    else rows.push(first, last + 1);
  };
  for (let at = 0; at < values;) {
    const same = bits.take(1) === 1;
    const end = at + bits.take(sizes[bits.take(2)] ?? 1) + 1;
    if (end > values) throw new RangeError('too long');
    if (same) {
      if (bits.take(word) > 0) add(at, end);
    } else
      for (let one = at; one < end; one++)
        if (bits.take(word) > 0 && one % 4 === 3) add(one, one + 1);
    at = end;
  }
  return rows;
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

  /** A number of so many bits, at most 32. Throws RangeError behind the end. */
  take(count: number): number {
    let [value, left] = [0, count];
    while (left > 0) {
      const byte = this.#bytes[this.#at >> 3];
      if (byte === undefined) throw new RangeError('behind the end');
      const here = 8 - (this.#at & 7);
      const some = left < here ? left : here;
      value = (value << some) | ((byte >> (here - some)) & ((1 << some) - 1));
      left -= some;
      this.#at += some;
    }
    return value >>> 0;
  }
}
