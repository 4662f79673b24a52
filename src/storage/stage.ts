import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { BlobTooLargeError, StorageFullError, type StagedBlob, type StageOptions } from '../core/storage.ts';

/** Bytes that are gathered before they are written: each write is a trip to another thread. */
const GATHER = 512 * 1024;

/** Streams bytes into a new file of the folder, counting and hashing them; removes the file when anything fails. */
export async function stageBytes(folder: string, body: AsyncIterable<Uint8Array>, options: StageOptions = {}): Promise<StagedBlob> {
  const { maxBytes = Infinity, signal } = options;
  const path = join(folder, randomUUID());
  const discard = (): Promise<void> => rm(path, { force: true });
  const create = (): Promise<FileHandle> => open(path, 'wx', 0o600);
  const file = await create().catch(async (error: unknown) => {
    if (!isMissing(error)) throw error;
    await mkdir(folder, { recursive: true });
    return create();
  });
  try {
    const hash = createHash('sha256');
    let size = 0;
    let sum = 0;
    let waiting: Uint8Array[] = [];
    let waitingBytes = 0;
    const flush = async (): Promise<void> => {
      const chunks = waiting;
      waiting = [];
      waitingBytes = 0;
      await writeAll(file, chunks);
    };
    for await (const chunk of body) {
      signal?.throwIfAborted();
      size += chunk.byteLength;
      if (size > maxBytes) throw new BlobTooLargeError(maxBytes);
      hash.update(chunk);
      sum = crc32(chunk, sum);
      waiting.push(chunk);
      waitingBytes += chunk.byteLength;
      if (waitingBytes >= GATHER) await flush();
    }
    await flush();
    signal?.throwIfAborted();
    await file.close();
    return { path, size, sha256: hash.digest('hex'), crc32: sum, discard };
  } catch (error) {
    await file.close();
    await discard();
    throw isFull(error) ? new StorageFullError('the disk of the storage is full', { cause: error }) : error;
  }
}

/** Removes staged files that a killed process left behind, judged by age: other gateways may be staging in the same folder. */
export async function removeStale(folder: string, olderThanMs: number, now: number): Promise<number> {
  let removed = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (!found?.isFile() || now - found.mtimeMs < olderThanMs) continue;
    await rm(path, { force: true });
    removed++;
  }
  return removed;
}

/** A write to a nearly full disk may take only a part of what it is given. */
async function writeAll(file: Pick<FileHandle, 'writev'>, chunks: readonly Uint8Array[]): Promise<void> {
  let left = [...chunks];
  while (left.length > 0) {
    let { bytesWritten } = await file.writev(left);
    left = left.flatMap((chunk) => {
      const taken = Math.min(bytesWritten, chunk.byteLength);
      bytesWritten -= taken;
      return taken === chunk.byteLength ? [] : [chunk.subarray(taken)];
    });
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Is it the system's "no space left", "quota exceeded", or a limit on the size of a file? */
export function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT' || error.code === 'EFBIG');
}
