import { MOST_REWRITTEN, runsOf, type Mask } from '../../projects/annotations/mask.ts';
import { turnMask } from '../../projects/annotations/turn-mask.ts';

/** Bits of the lengths that a run can have. */
const SIZES = [3, 4, 8, 16] as const;

/**
 * A mask as Label Studio's brush stores it: bytes of run lengths over the rows, four channels for each pixel, 255
 * inside. 32 bits have the number of values, 5 the bits of a value less one, 4 × 4 those of the lengths less one; each
 * run then is a 1, two bits for the size of its length, its length less one, and its value. Undefined if the image has
 * more values than 32 bits can tell, the mask too many runs, or the brush more than `most` bytes.
 */
export function packBrush(mask: Mask, most: number): number[] | undefined {
  const [height, width] = mask.size;
  const values = height * width * 4;
  const runs = runsOf(mask) ?? [];
  if (values >= 2 ** 32 || runs.length > MOST_REWRITTEN) return undefined;
  const inside = insideOf(runs);
  const turned = { length: height, lines: width };
  let needed = HEADER;
  turnMask(inside, turned, (pixels) => (needed += bitsOf(pixels * 4)) <= most * 8);
  if (needed > most * 8) return undefined;
  const bits = new Bits();
  bits.add(values >>> 16, 16);
  bits.add(values & 0xffff, 16);
  bits.add(8 - 1, 5);
  for (const size of SIZES) bits.add(size - 1, 4);
  turnMask(inside, turned, (pixels, isInside) => {
    for (let left = pixels * 4; left > 0; left -= LONGEST) {
      const length = Math.min(left, LONGEST);
      const index = sizeOf(length);
      bits.add(4 + index, 3);
      bits.add(length - 1, SIZES[index]);
      bits.add(isInside ? 255 : 0, 8);
    }
    return true;
  });
  return bits.end();
}

/** Bits before the first run. */
const HEADER = 32 + 5 + 4 * 4;
/** Values of a run at most. */
const LONGEST = 2 ** 16;

/** Which of the sizes the length of a run takes. */
function sizeOf(length: number): 0 | 1 | 2 | 3 {
  if (length <= 2 ** SIZES[0]) return 0;
  if (length <= 2 ** SIZES[1]) return 1;
  return length <= 2 ** SIZES[2] ? 2 : 3;
}

/** Bits that so many equal values take. */
function bitsOf(values: number): number {
  const whole = Math.floor(values / LONGEST);
  const rest = values % LONGEST;
  const fixed = 1 + 2 + 8;
  return whole * (fixed + SIZES[3]) + (rest > 0 ? fixed + SIZES[sizeOf(rest)] : 0);
}

function insideOf(runs: readonly number[]): number[] {
  const bounds: number[] = [];
  let start = 0;
  for (const [index, run] of runs.entries()) {
    if (index % 2 === 1) bounds.push(start, start + run);
    start += run;
  }
  return bounds;
}

/** Bits as bytes, the highest first; the last byte is filled up with zeros. */
class Bits {
  readonly #bytes: number[] = [];
  /** Bits that are no whole byte yet. */
  #open = 0;
  #count = 0;

  /** Adds a number of at most 16 bits. */
  add(value: number, bits: number): void {
    this.#open = (this.#open << bits) | value;
    this.#count += bits;
    while (this.#count >= 8) {
      this.#count -= 8;
      this.#bytes.push(this.#open >>> this.#count);
      this.#open &= (1 << this.#count) - 1;
    }
  }

  end(): number[] {
    if (this.#count > 0) this.#bytes.push(this.#open << (8 - this.#count));
    return this.#bytes;
  }
}
