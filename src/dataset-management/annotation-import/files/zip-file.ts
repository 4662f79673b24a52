import { createReadStream } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as otherWork } from 'node:timers/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { readFileInto } from '../../../core/files/read-file-into.ts';
import { FileFault } from './file-fault.ts';
import { readZipDirectory, type ZipMember } from './zip-directory.ts';

/** Bytes of everything that is unpacked of one archive. */
const MOST_UNPACKED = 2 * 1024 ** 3;
/** Above this size nothing may shrink to less than a part of this many: no label file is that even. */
const FREE_SIZE = 1024 * 1024;
const MOST_RATIO = 200;
/** Names that are looked at in one go, while everybody waits. */
const AT_ONCE = 5_000;

/** A ZIP archive from somewhere; what is unpacked of it is bounded, and checked against its sums. */
export class ZipFile {
  readonly members: readonly ZipMember[];
  readonly #path: string;
  readonly #bytes: number;
  #packed = 0;
  #unpacked = 0;
  readonly #seen = new Set<ZipMember>();

  private constructor(path: string, bytes: number, members: readonly ZipMember[]) {
    this.#path = path;
    this.#bytes = bytes;
    this.members = members;
  }

  /** Opens an archive of so many bytes. Throws FileFault. */
  static async open(path: string, bytes: number): Promise<ZipFile> {
    return new ZipFile(path, bytes, await readZipDirectory(path, bytes));
  }

  /** The files whose names fit, with turns for others in between: there may be a quarter of a million. */
  async all(fits: (name: string) => boolean): Promise<ZipMember[]> {
    const found: ZipMember[] = [];
    for (const [at, member] of this.members.entries()) {
      if (at % AT_ONCE === 0) await otherWork();
      if (fits(member.name)) found.push(member);
    }
    return found;
  }

  /** The file whose name fits a pattern; of several the one with the shortest name. */
  async find(pattern: RegExp): Promise<ZipMember | undefined> {
    const found = await this.all((name) => pattern.test(name));
    return found.sort((a, b) => a.name.length - b.name.length)[0];
  }

  /** A small file of it as text. Throws FileFault. */
  async text(member: ZipMember, most: number): Promise<string> {
    if (member.size > most) throw new FileFault(`${member.name} has more than ${most} bytes`);
    const parts: Buffer[] = [];
    for await (const part of this.read(member)) parts.push(part);
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
    } catch {
      throw new FileFault(`${member.name} is no text in UTF-8`);
    }
  }

  /** The bytes of a file of it, piece by piece. Throws FileFault, at its end for a wrong sum. */
  async *read(member: ZipMember): AsyncGenerator<Buffer> {
    const { name, compressed, size, deflated } = member;
    this.#count(member);
    const start = await this.#dataOf(member);
    const raw =
      compressed === 0
        ? Readable.from([])
        : createReadStream(this.#path, { start, end: start + compressed - 1 });
    const unpacked = new PassThrough();
    const flow =
      deflated && compressed > 0
        ? pipeline(raw, createInflateRaw(), unpacked)
        : pipeline(raw, unpacked);
    flow.catch(() => undefined);
    let [bytes, sum] = [0, 0];
    try {
      for await (const piece of unpacked) {
        const part: Buffer = Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece));
        bytes += part.length;
        if (bytes > size) throw new FileFault(`${name} is larger than the archive says`);
        sum = crc32(part, sum);
        yield part;
      }
      await flow;
    } catch (error) {
      throw error instanceof FileFault ? error : new FileFault(`${name} is damaged`);
    } finally {
      unpacked.destroy();
    }
    if (bytes !== size || sum !== member.crc32) throw new FileFault(`${name} is damaged`);
  }

  /** Counts what is unpacked; of one file only once, because its size is what the archive costs. */
  #count(member: ZipMember): void {
    const { name, compressed, size } = member;
    if (size > FREE_SIZE && size > compressed * MOST_RATIO)
      throw new FileFault(`${name} is packed more tightly than 1 to ${MOST_RATIO}`);
    if (this.#seen.has(member)) return;
    this.#seen.add(member);
    this.#packed += compressed;
    this.#unpacked += size;
    if (this.#packed > this.#bytes) throw new FileFault('is damaged: its entries overlap');
    if (this.#unpacked > MOST_UNPACKED)
      throw new FileFault(`has more than ${MOST_UNPACKED} bytes when unpacked`);
  }

  async #dataOf({ name, offset, compressed }: ZipMember): Promise<number> {
    const header = Buffer.alloc(30);
    const read = await readFileInto(this.#path, header, offset);
    if (read < 30 || header.readUInt32LE(0) !== 0x04034b50)
      throw new FileFault(`${name} is damaged`);
    const start = offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
    if (start + compressed > this.#bytes) throw new FileFault(`${name} is damaged`);
    return start;
  }
}
