import { setImmediate } from 'node:timers/promises';
import { readFileInto } from '../../../core/files/read-file-into.ts';
import { FileFault } from './file-fault.ts';

/** An entry of a ZIP archive, as its directory says; not to be trusted. */
export interface ZipMember {
  /** Relative, with slashes, without `..`. */
  name: string;
  compressed: number;
  size: number;
  crc32: number;
  deflated: boolean;
  /** Where its own header begins. */
  offset: number;
}

/** What is kept of the directory takes 60 MB of memory at most, and one import runs at a time. */
const MOST_ENTRIES = 250_000;
/** Entries that are read in one go, while everybody waits. */
const AT_ONCE = 5000;
const MOST_DIRECTORY = 32 * 1024 * 1024;
const [END, END64, LOCATOR64, ENTRY] = [0x06054b50, 0x06064b50, 0x07064b50, 0x02014b50];
const NONE = 0xffffffff;

/**
 * The files that a ZIP archive names, without folders. Throws FileFault for what is damaged or not readable. Uses no
 * library: yauzl reads each entry apart, which takes 15 seconds of a processor for the most entries, and this one.
 */
export async function readZipDirectory(path: string, size: number): Promise<ZipMember[]> {
  const end = await findEnd(path, size);
  if (end.count > MOST_ENTRIES || end.length > MOST_DIRECTORY)
    throw new FileFault(
      `has more than ${MOST_ENTRIES} entries, or a directory of more than 32 MiB: import it in parts`,
    );
  if (end.offset + end.length > size)
    throw new FileFault('is damaged: its directory does not fit into it');
  const directory = await readPart(path, end.offset, end.length);
  const members: ZipMember[] = [];
  const names = new Set<string>();
  let at = 0;
  for (let index = 0; index < end.count; index++) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== ENTRY)
      throw new FileFault('is damaged: its directory ends early');
    if (index % AT_ONCE === 0) await setImmediate();
    const length = (from: number): number => directory.readUInt16LE(at + from);
    const next = at + 46 + length(28) + length(30) + length(32);
    if (next > directory.length) throw new FileFault('is damaged: its directory ends early');
    const member = readEntry(directory.subarray(at, next));
    at = next;
    if (!member) continue;
    if (names.has(member.name)) throw new FileFault(`has two entries ${member.name}`);
    names.add(member.name);
    members.push(member);
  }
  return members;
}

/** An entry of the directory; undefined for a folder, and for what macOS puts beside each file. */
function readEntry(entry: Buffer): ZipMember | undefined {
  const nameLength = entry.readUInt16LE(28);
  const name = decodeName(entry.subarray(46, 46 + nameLength));
  if (name.endsWith('/') || /^__MACOSX\/|(^|\/)\._/.test(name)) return undefined;
  const method = entry.readUInt16LE(10);
  if (entry.readUInt16LE(8) & 1) throw new FileFault(`${name} is encrypted`);
  const extra = entry.subarray(46 + nameLength, 46 + nameLength + entry.readUInt16LE(30));
  const [size, compressed, offset] = largeNumbers(extra, [
    entry.readUInt32LE(24),
    entry.readUInt32LE(20),
    entry.readUInt32LE(42),
  ]);
  if (method !== 0 && method !== 8)
    throw new FileFault(`${name} is compressed by a method that is not read`);
  const crc32 = entry.readUInt32LE(16);
  return { name, compressed, size, crc32, deflated: method === 8, offset };
}

function decodeName(bytes: Buffer): string {
  const name = bytes.toString('utf8').replaceAll('\\', '/');
  const parts = name.replace(/\/$/, '').split('/');
  if (
    name.startsWith('/') ||
    /^[A-Za-z]:/.test(name) ||
    parts.includes('..') ||
    /\p{Cc}/u.test(name)
  )
    throw new FileFault('has an entry whose name leads out of it');
  return parts.filter((part) => part !== '.').join('/') + (name.endsWith('/') ? '/' : '');
}

/** Sizes and offset, where they are too large for the directory's own fields from the extra field of ZIP64. */
function largeNumbers(
  extra: Buffer,
  small: readonly [number, number, number],
): [number, number, number] {
  const field = extraField(extra, 1);
  let at = 0;
  const take = (value: number): number => {
    if (value !== NONE) return value;
    if (field === undefined || at + 8 > field.length)
      throw new FileFault('is damaged: a size is missing');
    at += 8;
    return safe(field.readBigUInt64LE(at - 8));
  };
  return [take(small[0]), take(small[1]), take(small[2])];
}

function extraField(extra: Buffer, id: number): Buffer | undefined {
  for (let at = 0; at + 4 <= extra.length;) {
    const length = extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === id) return extra.subarray(at + 4, at + 4 + length);
    at += 4 + length;
  }
  return undefined;
}

interface DirectoryEnd {
  count: number;
  length: number;
  offset: number;
}

async function findEnd(path: string, size: number): Promise<DirectoryEnd> {
  const tail = await readPart(path, Math.max(0, size - 65_557), Math.min(size, 65_557));
  let at = tail.length - 22;
  while (at >= 0 && tail.readUInt32LE(at) !== END) at--;
  if (at < 0) throw new FileFault('is no ZIP archive');
  const small = {
    count: tail.readUInt16LE(at + 10),
    length: tail.readUInt32LE(at + 12),
    offset: tail.readUInt32LE(at + 16),
  };
  const locator = at - 20;
  if (locator < 0 || tail.readUInt32LE(locator) !== LOCATOR64) return small;
  const large = safe(tail.readBigUInt64LE(locator + 8));
  const record = await readPart(path, large, Math.max(0, Math.min(56, size - large)));
  if (record.length < 56 || record.readUInt32LE(0) !== END64)
    throw new FileFault('is damaged: its end is not where it should be');
  const number = (from: number): number => safe(record.readBigUInt64LE(from));
  return { count: number(32), length: number(40), offset: number(48) };
}

async function readPart(path: string, position: number, length: number): Promise<Buffer> {
  const target = Buffer.alloc(length);
  return target.subarray(0, await readFileInto(path, target, position));
}

function safe(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER))
    throw new FileFault('is damaged: a size is impossible');
  return Number(value);
}
