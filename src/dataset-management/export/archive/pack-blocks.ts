/** A stretch of a stream whose length is known before its bytes are. */
export interface Piece {
  size: number;
  /** Fills all of the target with the bytes from a position on. */
  read(target: Uint8Array, position: number): Promise<void> | void;
  /** Told of the bytes in their order, before they are passed on. */
  passed?(bytes: Uint8Array): Promise<void> | void;
}

const BLOCK_BYTES = 512 * 1024;
/** Blocks that are being filled while one is passed on. */
const BLOCKS_AHEAD = 4;

/** Memory that is being filled, part by part. */
interface Block {
  bytes: Uint8Array;
  parts: { piece: Piece; part: Uint8Array; read: Promise<void> | void }[];
}

/**
 * Lays pieces end to end into blocks of memory, several of which are read at once: many small pieces then cost neither
 * a wait nor a write each.
 */
export async function* packBlocks(pieces: AsyncIterable<Piece>): AsyncGenerator<Uint8Array> {
  const ahead: Block[] = [];
  let block: Block = { bytes: Buffer.allocUnsafeSlow(BLOCK_BYTES), parts: [] };
  let used = 0;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.size;) {
      const part = block.bytes.subarray(used, used + piece.size - at);
      const read = piece.read(part, at);
      // A failure is reported when its block is due; until then it must not count as unhandled.
      read?.catch(() => undefined);
      block.parts.push({ piece, part, read });
      used += part.length;
      at += part.length;
      if (used < BLOCK_BYTES) continue;
      ahead.push(block);
      block = { bytes: Buffer.allocUnsafeSlow(BLOCK_BYTES), parts: [] };
      used = 0;
      const first = ahead.length > BLOCKS_AHEAD ? ahead.shift() : undefined;
      if (first) yield await filled(first);
    }
  }
  for (const full of ahead) yield await filled(full);
  yield await filled({ bytes: block.bytes.subarray(0, used), parts: block.parts });
}

async function filled({ bytes, parts }: Block): Promise<Uint8Array> {
  for (const { piece, part, read } of parts) {
    if (read) await read;
    const told = piece.passed?.(part);
    if (told) await told;
  }
  return bytes;
}
