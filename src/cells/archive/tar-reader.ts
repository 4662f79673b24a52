import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { DamagedDomainFileError, most } from './domain-file.ts';
import { BLOCK, padding, readTarHeader } from './tar-header.ts';

/** A file in an archive. */
export interface TarEntry {
  name: string;
  size: number;
  /** Where its header begins, and where the next one does. */
  start: number;
  next: number;
  /** The hash of everything before its header; only where all is read. */
  before(): Hash;
  /** Its content, once, before the next entry is asked for. */
  bytes(): AsyncIterable<Buffer>;
}

/** Bytes that are read at a time. */
const PIECE = 256 * 1024;

/**
 * The entries of an archive in their order, up to its end or to where it is cut off or no archive any more. With a
 * `hash`, contents that nobody asks for are read all the same; without, they are passed over.
 */
export async function* readTar(
  file: FileHandle,
  { hash }: { hash?: Hash | undefined } = {},
): AsyncGenerator<TarEntry> {
  const { size: end } = await file.stat();
  for (let start = 0; start + BLOCK <= end;) {
    const header = await readAt(file, start, BLOCK);
    const found = readTarHeader(header);
    if (!found) return;
    const body = start + BLOCK;
    const next = body + found.size + padding(found.size);
    if (next > end) return;
    const before = hash?.copy();
    hash?.update(header);
    let at = body;
    const rest = async function* (): AsyncGenerator<Buffer> {
      while (at < body + found.size) {
        const piece = await readAt(file, at, Math.min(PIECE, body + found.size - at));
        at += piece.length;
        hash?.update(piece);
        yield piece;
      }
    };
    const hashed = (): Hash => (before ?? createHash('sha256')).copy();
    yield { ...found, start, next, before: hashed, bytes: rest };
    if (hash) {
      for await (const piece of rest()) void piece;
      hash.update(await readAt(file, body + found.size, next - body - found.size));
    }
    start = next;
  }
}

/** A small content as a whole. Throws DamagedDomainFileError for a large one. */
export async function readWhole(entry: TarEntry): Promise<Buffer> {
  if (entry.size > most.bytes)
    throw new DamagedDomainFileError(`its entry ${entry.name} is too large`);
  const pieces: Buffer[] = [];
  for await (const piece of entry.bytes()) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function readAt(file: FileHandle, position: number, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < size;) {
    const { bytesRead } = await file.read(bytes, at, size - at, position + at);
    if (bytesRead === 0) throw new DamagedDomainFileError('it ends too early');
    at += bytesRead;
  }
  return bytes;
}
