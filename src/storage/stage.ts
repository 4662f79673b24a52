import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { BlobTooLargeError, type StagedBlob, type StageOptions } from '../core/context/storage.ts';
import { makeFolders } from '../core/files/make-folders.ts';
import { ownedName } from '../core/files/owned-name.ts';
import { tellFull } from './tell-full.ts';
import { codeOf } from '../core/errors.ts';

/** Bytes that are collected before they are written: each write is a trip to another thread. */
const GATHER = 512 * 1024;
/** Write also when this many chunks have come, however small: each takes more memory than its bytes. */
const GATHER_CHUNKS = 1024;

const openFile = promisify(fs.open);
const syncFile = promisify(fs.fsync);
const closeFile = promisify(fs.close);
const removeFile = promisify(fs.unlink);

/**
 * Streams bytes into a new file of the folder, counting and hashing them; removes the file when anything fails. `make`
 * makes the folder when it is missing.
 */
export async function stageBytes(
  folder: string,
  body: AsyncIterable<Uint8Array>,
  options: StageOptions = {},
  make: () => Promise<unknown> = () => makeFolders(folder),
): Promise<StagedBlob> {
  const { maxBytes = Infinity, signal } = options;
  const path = join(folder, ownedName());
  const create = (): Promise<number> => openFile(path, 'wx', 0o600);
  const file = await create().catch(async (error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
    await make();
    return create();
  });
  const { moveTo, discard } = stagedFile(path, file);
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
      if (waitingBytes >= GATHER || waiting.length >= GATHER_CHUNKS) await flush();
    }
    await flush();
    signal?.throwIfAborted();
    return { path, size, sha256: hash.digest('hex'), crc32: sum, moveTo, discard };
  } catch (error) {
    await discard();
    throw tellFull(error, 'the disk of the storage is full');
  }
}

/** What can be done with a written file. It stays open until then, so that syncing need not open it again. */
function stagedFile(path: string, file: number): Pick<StagedBlob, 'moveTo' | 'discard'> {
  let state: 'open' | 'closed' | 'gone' = 'open';
  return {
    async moveTo(target) {
      if (state === 'open') {
        await syncFile(file);
        if (state !== 'open') throw new Error('the staged file was discarded');
        // Nothing is left to be written, so closing is quick.
        state = 'closed';
        fs.closeSync(file);
      }
      await rename(path, target);
      state = 'gone';
    },
    async discard() {
      const before = state;
      state = 'gone';
      if (before === 'open') await closeFile(file);
      if (before !== 'gone')
        await removeFile(path).catch((error: unknown) => {
          if (codeOf(error) !== 'ENOENT') throw error;
        });
    },
  };
}

/** A write to a nearly full disk may write only a part of its bytes. */
async function writeAll(file: number, chunks: readonly Uint8Array[]): Promise<void> {
  let left = [...chunks];
  while (left.length > 0) {
    let bytesWritten = await write(file, left);
    left = left.flatMap((chunk) => {
      const taken = Math.min(bytesWritten, chunk.byteLength);
      bytesWritten -= taken;
      return taken === chunk.byteLength ? [] : [chunk.subarray(taken)];
    });
  }
}

function write(file: number, chunks: Uint8Array[]): Promise<number> {
  return new Promise((resolve, reject) =>
    fs.writev(file, chunks, (error, bytesWritten) =>
      error ? reject(error) : resolve(bytesWritten),
    ),
  );
}
