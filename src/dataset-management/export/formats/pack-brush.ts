import type { Mask } from '../../projects/annotations/mask.ts';
import { columnsOf } from './trace-mask.ts';

/** Bits of the lengths that a run can have. */
const SIZES = [3, 4, 8, 16] as const;
/** Pixels that are drawn at once. */
const BAND_PIXELS = 4_000_000;

/**
 * A mask as Label Studio's brush stores it: bytes of run lengths over the rows, four channels for each pixel, 255
 * inside. 32 bits have the number of values, 5 the bits of a value less one, 4 × 4 those of the lengths less one; each
 * run then is a 1, two bits for the size of its length, its length less one, and its value.
 */
export function packBrush(mask: Mask): number[] {
  const [height, width] = mask.size;
  const bits = new Bits();
  bits.add(height * width * 4, 32);
  bits.add(8 - 1, 5);
  for (const size of SIZES) bits.add(size - 1, 4);
  for (const { inside, pixels } of rowRuns(mask))
    for (let left = pixels * 4; left > 0;) {
      const length = Math.min(left, 2 ** 16);
      const size = SIZES.findIndex((bits) => length <= 2 ** bits);
      bits.add(1, 1);
      bits.add(size, 2);
      bits.add(length - 1, SIZES[size] ?? 16);
      bits.add(inside ? 255 : 0, 8);
      left -= length;
    }
  return bits.end();
}

/** Runs along the rows, of what is outside and inside, as they come. */
function* rowRuns(mask: Mask): Generator<{ inside: boolean; pixels: number }> {
  const [height, width] = mask.size;
  const columns = [...columnsOf(mask)];
  const rows = Math.max(1, Math.floor(BAND_PIXELS / width));
  let run = { inside: false, pixels: 0 };
  for (let top = 0; top < height; top += rows) {
    const count = Math.min(rows, height - top);
    const band = new Uint8Array(count * width);
    for (const { x, intervals } of columns)
      for (const [from, to] of intervals)
        for (let y = Math.max(from - top, 0); y < Math.min(to - top, count); y++)
          band[y * width + x] = 1;
    for (let at = 0; at < band.length;) {
      const inside = band[at] === 1;
      const next = band.indexOf(inside ? 0 : 1, at);
      const end = next === -1 ? band.length : next;
      if (inside === run.inside) run.pixels += end - at;
      else {
        if (run.pixels > 0) yield run;
        run = { inside, pixels: end - at };
      }
      at = end;
    }
  }
  if (run.pixels > 0) yield run;
}

/** Bits as bytes, the highest first; the last byte is filled up with zeros. */
class Bits {
  readonly #bytes: number[] = [];
  #byte = 0;
  #used = 0;

  add(value: number, bits: number): void {
    for (let bit = bits - 1; bit >= 0; bit--) {
      this.#byte = this.#byte * 2 + (Math.floor(value / 2 ** bit) % 2);
      this.#used++;
      if (this.#used < 8) continue;
      this.#bytes.push(this.#byte);
      [this.#byte, this.#used] = [0, 0];
    }
  }

  end(): number[] {
    if (this.#used > 0) this.#bytes.push(this.#byte * 2 ** (8 - this.#used));
    return this.#bytes;
  }
}
