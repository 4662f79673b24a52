import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate as otherWork } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { BlobStore, StagedBlob } from '../../../core/context/storage.ts';
import { openSpool, readFrom } from './spool.ts';
import type { ZipEntry } from './zip-entry.ts';

/** A file of an archive, whose hash `manifest.json` names. */
export type ArchiveFile = ZipEntry & {
  sha256: string;
  /** All of it, where it is in memory. */
  bytes?: Uint8Array;
  /** What `manifest.json` says beyond that of the ciphertext of an image. */
  encrypted?: {
    image: string;
    /** Number of the workspace's key. */
    key: number;
    /** SHA-256 of its thumbnail, which the proof names. */
    thumbnail: string;
    proof: string | null;
  };
};

/** Local files that are needed until the archive is written; whoever writes it discards them. */
export type Scratch = { discard(): Promise<void> }[];

/** Bytes that are hashed and written before others have a turn. */
const PIECE = 512 * 1024;
/** How long a file is made before others have a turn, in milliseconds. */
const MOST_MS = 10;

/** A short file that is in memory. */
export function textFile(name: string, text: string): ArchiveFile {
  return fileOf(name, Buffer.from(text));
}

/** A file that is in memory and made part by part, with turns for others in between: that of an image may take seconds. */
export async function partedFile(name: string, parts: Iterable<string>): Promise<ArchiveFile> {
  const made: Buffer[] = [];
  let since = performance.now();
  for (const part of parts) {
    made.push(Buffer.from(part));
    if (performance.now() - since < MOST_MS) continue;
    await otherWork();
    since = performance.now();
  }
  return fileOf(name, Buffer.concat(made));
}

function fileOf(name: string, bytes: Buffer): ArchiveFile {
  return {
    name,
    size: bytes.length,
    crc32: crc32(bytes),
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bytes,
    read: (target, position) => Promise.resolve(bytes.copy(target, 0, position)),
  };
}

/** A local file. */
export function stagedFile(name: string, blob: StagedBlob): ArchiveFile {
  const { size, crc32, sha256 } = blob;
  return { name, size, crc32, sha256, read: readFrom(blob) };
}

/** The file on the disk, where it is in memory, until the archive holds it: whoever reads slowly must not keep it there. */
export async function leaveMemory(
  { storage, scratch }: { storage: BlobStore; scratch: Scratch },
  file: ArchiveFile,
): Promise<ArchiveFile> {
  const { bytes, ...rest } = file;
  if (!bytes) return file;
  const blob = await storage.stage(Readable.from(piecesOf(bytes)));
  scratch.push(blob);
  return { ...rest, read: readFrom(blob), held: () => blob.discard() };
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

/** A file of an archive that grows with each image, on the disk instead of in memory. */
export interface GrowingFile {
  write(text: string): Promise<void>;
  end(): Promise<ArchiveFile>;
}

export function growingFile(
  { storage, scratch }: { storage: BlobStore; scratch: Scratch },
  name: string,
): GrowingFile {
  const spool = openSpool(storage);
  scratch.push(spool);
  return {
    write: (text) => spool.write(text),
    end: async () => stagedFile(name, await spool.end()),
  };
}
