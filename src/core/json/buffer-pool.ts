// A pool of buffers for replies. Each page needs one of some ten kilobytes for a moment; allocated anew, they would be
// most of the garbage under load.

const SMALLEST = 16_384;
const LARGEST = 1_048_576;
/** Most idle buffers of one size. */
const IDLE = 32;
const IDLE_BYTES = 4_194_304;

/** By size, a power of two. */
const idle = new Map<number, Buffer[]>();
const inUse = new WeakSet<ArrayBufferLike>();

/** A buffer of at least this many bytes, with any content. If it is never released, it is garbage-collected. */
export function acquireBuffer(size: number): Buffer {
  if (size > LARGEST) return Buffer.allocUnsafeSlow(size);
  const rounded = 2 ** Math.ceil(Math.log2(Math.max(size, SMALLEST)));
  const buffer = idle.get(rounded)?.pop() ?? Buffer.allocUnsafeSlow(rounded);
  inUse.add(buffer.buffer);
  return buffer;
}

/** Returns a buffer of the pool, or a part of one; nobody may read it any more. Any other buffer is ignored. */
export function releaseBuffer({ buffer }: Buffer): void {
  if (!inUse.delete(buffer)) return;
  const size = buffer.byteLength;
  const same = idle.get(size) ?? [];
  idle.set(size, same);
  if (same.length < IDLE && (same.length + 1) * size <= IDLE_BYTES) same.push(Buffer.from(buffer));
}
