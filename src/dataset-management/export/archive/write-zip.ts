import { crc32 } from 'node:zlib';
import { limitParallel } from '../../../core/limit.ts';
import { packBlocks, type Piece } from './pack-blocks.ts';

export interface ZipEntry {
  /** Relative, with slashes; made safe by `safeEntryName`. */
  name: string;
  size: number;
  crc32: number;
  /** Fills memory with the bytes from a position on; returns how many there were. */
  read(target: Uint8Array, position: number): Promise<number>;
}

/** The bytes of an entry differ from its announced size or checksum: the archive must not be completed. */
export class ZipEntryError extends Error {
  override name = 'ZipEntryError';
}

/** Entries that are read at once. */
const READS = 16;
const UTF8 = 0x0800;
const MAX_32 = 0xffffffff;
const MAX_16 = 0xffff;

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
      if (left === 0 && sum !== entry.crc32)
        throw new ZipEntryError(`${entry.name} has CRC ${sum}, not ${entry.crc32}`);
    },
  };
}

function localHeader(entry: ZipEntry, name: Buffer, stamp: number): Buffer {
  const large = entry.size >= MAX_32;
  const extra = large ? zip64Extra([entry.size, entry.size]) : Buffer.alloc(0);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  writeCommon(header, 4, { entry, stamp, zip64: large });
  header.writeUInt16LE(name.length, 26);
  header.writeUInt16LE(extra.length, 28);
  return Buffer.concat([header, name, extra]);
}

function centralHeader(entry: ZipEntry, name: Buffer, stamp: number, offset: number): Buffer {
  const large = entry.size >= MAX_32;
  const far = offset >= MAX_32;
  const extra =
    large || far
      ? zip64Extra([...(large ? [entry.size, entry.size] : []), ...(far ? [offset] : [])])
      : Buffer.alloc(0);
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  // Made on UNIX, so that the permissions below are read.
  header.writeUInt16LE((3 << 8) | 45, 4);
  writeCommon(header, 6, { entry, stamp, zip64: large || far });
  if (!large) header.writeUInt32LE(entry.size, 20);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt32LE(0o100644 * 0x10000, 38);
  header.writeUInt32LE(far ? MAX_32 : offset, 42);
  return Buffer.concat([header, name, extra]);
}

/** The fields that both headers share: version needed, flags, method, time, CRC and sizes. */
function writeCommon(
  header: Buffer,
  at: number,
  { entry, stamp, zip64 }: { entry: ZipEntry; stamp: number; zip64: boolean },
): void {
  const size = Math.min(entry.size, MAX_32);
  header.writeUInt16LE(zip64 ? 45 : 20, at);
  header.writeUInt16LE(UTF8, at + 2);
  header.writeUInt16LE(0, at + 4);
  header.writeUInt32LE(stamp, at + 6);
  header.writeUInt32LE(entry.crc32, at + 10);
  header.writeUInt32LE(size, at + 14);
  header.writeUInt32LE(size, at + 18);
}

function zip64Extra(values: number[]): Buffer {
  const extra = Buffer.alloc(4 + 8 * values.length);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(8 * values.length, 2);
  values.forEach((value, index) => extra.writeBigUInt64LE(BigInt(value), 4 + 8 * index));
  return extra;
}

function endOfDirectory(count: number, length: number, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(count, MAX_16), 8);
  end.writeUInt16LE(Math.min(count, MAX_16), 10);
  end.writeUInt32LE(Math.min(length, MAX_32), 12);
  end.writeUInt32LE(Math.min(offset, MAX_32), 16);
  if (count < MAX_16 && length < MAX_32 && offset < MAX_32) return end;
  const zip64 = Buffer.alloc(76);
  zip64.writeUInt32LE(0x06064b50, 0);
  zip64.writeBigUInt64LE(44n, 4);
  zip64.writeUInt16LE(45, 12);
  zip64.writeUInt16LE(45, 14);
  zip64.writeBigUInt64LE(BigInt(count), 24);
  zip64.writeBigUInt64LE(BigInt(count), 32);
  zip64.writeBigUInt64LE(BigInt(length), 40);
  zip64.writeBigUInt64LE(BigInt(offset), 48);
  zip64.writeUInt32LE(0x07064b50, 56);
  zip64.writeBigUInt64LE(BigInt(offset + length), 64);
  zip64.writeUInt32LE(1, 72);
  return Buffer.concat([zip64, end]);
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
