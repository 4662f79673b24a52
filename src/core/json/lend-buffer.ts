// Buffers for answers. Each page needs one of tens of kilobytes for a moment: made anew each time, they are most of what is collected under load.

const SMALLEST = 16_384;
const LARGEST = 1_048_576;
/** Of one size, at most. */
const IDLE = 32;
const IDLE_BYTES = 4_194_304;

/** By size, a power of two. */
const idle = new Map<number, Buffer[]>();
const lent = new WeakSet<ArrayBufferLike>();

/** A buffer of at least this many bytes, with anything in it. Giving it back is a courtesy: what isn't is collected. */
export function lendBuffer(size: number): Buffer {
  if (size > LARGEST) return Buffer.allocUnsafeSlow(size);
  const rounded = 2 ** Math.ceil(Math.log2(Math.max(size, SMALLEST)));
  const buffer = idle.get(rounded)?.pop() ?? Buffer.allocUnsafeSlow(rounded);
  lent.add(buffer.buffer);
  return buffer;
}

/** Takes a lent buffer, or a part of one, for the next: nobody may read it any more. Any other is left alone. */
export function takeBack({ buffer }: Buffer): void {
  if (!lent.delete(buffer)) return;
  const size = buffer.byteLength;
  const same = idle.get(size) ?? [];
  idle.set(size, same);
  if (same.length < IDLE && (same.length + 1) * size <= IDLE_BYTES) same.push(Buffer.from(buffer));
}
