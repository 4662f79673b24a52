// A pool of buffers for answers. Each page needs one of tens of kilobytes for a moment; made anew each time, they would be most of what is garbage-collected under load.

const SMALLEST = 16_384;
const LARGEST = 1_048_576;
/** Idle buffers of one size, at most. */
const IDLE = 32;
const IDLE_BYTES = 4_194_304;

/** By size, a power of two. */
const idle = new Map<number, Buffer[]>();
const inUse = new WeakSet<ArrayBufferLike>();

/** A buffer of at least this many bytes, whatever is in it. One that is never released is garbage-collected. */
export function acquireBuffer(size: number): Buffer {
  if (size > LARGEST) return Buffer.allocUnsafeSlow(size);
  const rounded = 2 ** Math.ceil(Math.log2(Math.max(size, SMALLEST)));
  const buffer = idle.get(rounded)?.pop() ?? Buffer.allocUnsafeSlow(rounded);
  inUse.add(buffer.buffer);
  return buffer;
}

/** Gives a buffer of the pool, or a part of one, back for the next to use: nobody may read it any more. Any other buffer is left alone. */
export function releaseBuffer({ buffer }: Buffer): void {
  if (!inUse.delete(buffer)) return;
  const size = buffer.byteLength;
  const same = idle.get(size) ?? [];
  idle.set(size, same);
  if (same.length < IDLE && (same.length + 1) * size <= IDLE_BYTES) same.push(Buffer.from(buffer));
}
