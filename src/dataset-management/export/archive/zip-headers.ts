import type { ZipEntry } from '../files/zip-entry.ts';
import { MAX_32 } from './zip-directory-end.ts';

const UTF8 = 0x0800;

/** The header in front of an entry. */
export function localHeader(entry: ZipEntry, name: Buffer, stamp: number): Buffer {
  const large = entry.size >= MAX_32;
  const extra = large ? zip64Extra([entry.size, entry.size]) : Buffer.alloc(0);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  writeCommon(header, 4, { entry, stamp, zip64: large });
  header.writeUInt16LE(name.length, 26);
  header.writeUInt16LE(extra.length, 28);
  return Buffer.concat([header, name, extra]);
}

/** The header of an entry in the directory at the end of the archive. */
export function centralHeader(
  entry: ZipEntry,
  name: Buffer,
  stamp: number,
  offset: number,
): Buffer {
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
