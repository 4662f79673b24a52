import { crc32 } from 'node:zlib';
import { limitParallel } from '../../../core/turns/limit.ts';
import { packBlocks, type Piece } from './pack-blocks.ts';
import { type ZipEntry, ZipEntryError } from '../files/zip-entry.ts';
import { endOfDirectory } from './zip-directory-end.ts';
import { centralHeader, localHeader } from './zip-headers.ts';

/** Entries that are read at once. */
const READS = 16;

/**
 * Streams a ZIP archive of stored entries in large blocks, reading ahead. Sizes and CRCs stand in front of each entry,
 * so that the archive can be read from a pipe; zip64 where an offset, a size or the count needs it. Throws
 * ZipEntryError when the bytes of an entry differ from its size or CRC.
 */
export function writeZip(
  entries: AsyncIterable<ZipEntry>,
  modifiedAt: Date,
): AsyncGenerator<Uint8Array> {
  return packBlocks(zipPieces(entries, dosTime(modifiedAt)));
}

async function* zipPieces(entries: AsyncIterable<ZipEntry>, stamp: number): AsyncGenerator<Piece> {
  const directory: Buffer[] = [];
  const limited = limitParallel(READS);
  let offset = 0;
  for await (const entry of entries) {
    const name = Buffer.from(entry.name);
    const header = localHeader(entry, name, stamp);
    yield pieceOf(header);
    yield contentOf(entry, limited);
    directory.push(centralHeader(entry, name, stamp, offset));
    offset += header.length + entry.size;
  }
  const records = Buffer.concat(directory);
  yield pieceOf(records);
  yield pieceOf(endOfDirectory(directory.length, records.length, offset));
}

function pieceOf(bytes: Uint8Array): Piece {
  return {
    size: bytes.length,
    read: (target, position) => target.set(bytes.subarray(position, position + target.length)),
  };
}

/** The bytes of an entry, compared at the end with what was announced. */
function contentOf(entry: ZipEntry, limited: ReturnType<typeof limitParallel>): Piece {
  let sum = 0;
  let left = entry.size;
  return {
    size: entry.size,
    async read(target, position) {
      const filled = await limited(() => entry.read(target, position));
      if (filled < target.length)
        throw new ZipEntryError(`${entry.name} has ${position + filled} bytes, not ${entry.size}`);
    },
    passed(bytes) {
      sum = crc32(bytes, sum);
      left -= bytes.length;
      if (left > 0) return;
      if (sum !== entry.crc32)
        throw new ZipEntryError(`${entry.name} has CRC ${sum}, not ${entry.crc32}`);
      return entry.held?.();
    },
  };
}

/** UTC, in steps of two seconds, 1980 to 2107. */
function dosTime(time: Date): number {
  const year = Math.min(Math.max(time.getUTCFullYear() - 1980, 0), 127);
  const date = (year << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  return (
    date * 0x10000 +
    ((time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1))
  );
}
