import { ArchiveError, readAll, type ArchiveSource } from './archive-source.ts';

/** A file as the directory of a ZIP archive lists it. */
export interface ZipMember {
  name: string;
  /** 0: stored as it is; 8: deflated. */
  method: number;
  encrypted: boolean;
  size: number;
  packedSize: number;
  /** Where its header begins. */
  offset: number;
}

const FULL_16 = 0xffff;
const FULL_32 = 0xffffffff;
/** Directories of more bytes are refused, because one is read as a whole; it is enough for a million files. */
const MOST_BYTES = 512 * 1024 * 1024;

/**
 * Reads the directory of a ZIP archive, zip64 too, in its order, without folders. Throws ArchiveError.
 */
export async function readDirectory(source: ArchiveSource): Promise<ZipMember[]> {
  const { offset, length } = await findDirectory(source);
  if (offset + length > source.size) throw new ArchiveError('the directory lies outside');
  if (length > MOST_BYTES) throw new ArchiveError('the directory is too large');
  const bytes = await readAll(source, offset, offset + length);
  const view = viewOf(bytes);
  const members: ZipMember[] = [];
  for (let at = 0; at < length;) {
    if (at + 46 > length || view.getUint32(at, true) !== 0x02014b50)
      throw new ArchiveError('the directory is damaged');
    const end = at + 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true);
    const next = end + view.getUint16(at + 32, true);
    if (next > length) throw new ArchiveError('the directory is damaged');
    const member = readMember(bytes.subarray(at, end));
    if (!member.name.endsWith('/')) members.push(member);
    at = next;
  }
  return members;
}

function readMember(record: Uint8Array): ZipMember {
  const view = viewOf(record);
  const nameEnd = 46 + view.getUint16(28, true);
  const long = zip64Values(record.subarray(nameEnd));
  const wide = (value: number): number => (value === FULL_32 ? long() : value);
  const size = wide(view.getUint32(24, true));
  const packedSize = wide(view.getUint32(20, true));
  return {
    name: textOf(record.subarray(46, nameEnd)),
    method: view.getUint16(10, true),
    encrypted: (view.getUint16(8, true) & 1) !== 0,
    size,
    packedSize,
    offset: wide(view.getUint32(42, true)),
  };
}

/** The values of the zip64 field, one after the other. */
function zip64Values(extra: Uint8Array): () => number {
  const view = viewOf(extra);
  let [at, end] = [0, 0];
  for (let field = 0; field + 4 <= extra.length;) {
    const length = view.getUint16(field + 2, true);
    if (view.getUint16(field, true) === 1) {
      at = field + 4;
      end = Math.min(at + length, extra.length);
    }
    field += 4 + length;
  }
  return () => {
    if (at + 8 > end) throw new ArchiveError('the directory is damaged');
    at += 8;
    return Number(view.getBigUint64(at - 8, true));
  };
}

/** Where the directory lies, by the record at the end of the archive. */
async function findDirectory(source: ArchiveSource): Promise<{ offset: number; length: number }> {
  const start = Math.max(0, source.size - 22 - FULL_16);
  const tail = await readAll(source, start, source.size);
  const view = viewOf(tail);
  for (let at = tail.length - 22; at >= 0; at--) {
    if (view.getUint32(at, true) !== 0x06054b50) continue;
    const count = view.getUint16(at + 10, true);
    const length = view.getUint32(at + 12, true);
    const offset = view.getUint32(at + 16, true);
    const isLong = count === FULL_16 || length === FULL_32 || offset === FULL_32;
    const hasLocator = at >= 20 && view.getUint32(at - 20, true) === 0x07064b50;
    if (!isLong || !hasLocator) return { offset, length };
    const record = Number(view.getBigUint64(at - 12, true));
    if (record + 56 > source.size) throw new ArchiveError('the directory lies outside');
    const zip64 = viewOf(await readAll(source, record, record + 56));
    if (zip64.getUint32(0, true) !== 0x06064b50) throw new ArchiveError('the end is damaged');
    return {
      length: Number(zip64.getBigUint64(40, true)),
      offset: Number(zip64.getBigUint64(48, true)),
    };
  }
  throw new ArchiveError('this is no ZIP archive, or its end is missing');
}

/** A view of just these bytes. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Text in UTF-8, as every archive of ours has its names. */
export function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
