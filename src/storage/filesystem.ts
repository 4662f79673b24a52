import { open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { limitParallel } from '../core/turns/limit.ts';
import { restrict } from '../core/files/private-folder.ts';
import { readFileInto } from '../core/files/read-file-into.ts';
import {
  BlobMissingError,
  type BlobStore,
  type ByteRange,
  isBlobKey,
} from '../core/context/storage.ts';
import { stageBytes } from './stage.ts';
import { tellFull } from './tell-full.ts';
import { findLeftovers, tidyStaged } from './staged-files.ts';
import { ignoreMissing } from './missing-files.ts';
import { listFiles } from './list-files.ts';
import { keepOnDisk } from './same-disk.ts';
import { makeFolder, syncFolder } from './sync-folders.ts';

const CHUNK = 256 * 1024;
/**
 * Files that are synced at once. Each sync holds one of the process's four threads for as long as the disk takes; the
 * others are for decoding and reading.
 */
const SYNCS = 2;

/**
 * Stores blobs as files in a folder that only its owner may enter. Writing is atomic: a file in `staging` is synced,
 * renamed into `objects`, and the folder is synced.
 */
export function openFilesystemStore(folder: string): BlobStore {
  const objects = join(folder, 'objects');
  const staging = join(folder, 'staging');
  for (const path of [objects, staging]) restrict(path, 0o700);
  const disk = keepOnDisk(staging);
  const limited = limitParallel(SYNCS);
  const pathOf = (key: string): string => {
    if (!isBlobKey(key)) throw new TypeError(`not a storage key: ${key}`);
    return join(objects, ...key.split('/'));
  };
  const missing =
    (key: string) =>
    async (error: unknown): Promise<never> => {
      ignoreMissing(error);
      await disk.check();
      throw new BlobMissingError(key, { cause: error });
    };
  return {
    stage: (body, options) => stageBytes(staging, body, options, disk.make),
    leftovers: () => findLeftovers(staging, Date.now()),
    tidy: () => tidyStaged(staging, Date.now()),
    async put(staged, key) {
      const path = pathOf(key);
      try {
        await limited(() => staged.moveTo(path)).catch(async (error: unknown) => {
          ignoreMissing(error);
          await makeFolder(dirname(path), objects);
          await staged.moveTo(path);
        });
        await limited(() => syncFolder(dirname(path)));
      } catch (error) {
        await staged.discard();
        throw tellFull(error, 'the disk of the storage is full');
      }
    },
    get: (key, range) => readFile(pathOf(key), range, missing(key)),
    readInto: (key, target, position) =>
      readFileInto(pathOf(key), target, position).catch(missing(key)),
    async stat(key) {
      const found = await stat(pathOf(key)).catch(ignoreMissing);
      if (!found) await disk.check();
      return found && { key, size: found.size, modifiedAt: found.mtime };
    },
    async delete(key) {
      await disk.check();
      await rm(pathOf(key), { force: true });
    },
    // Folders are created when they are missing.
    check: disk.check,
    async *list() {
      await disk.check();
      yield* listFiles(objects);
    },
    close: () => Promise.resolve(),
  };
}

async function* readFile(
  path: string,
  range: ByteRange | undefined,
  onMissing: (error: unknown) => Promise<never>,
): AsyncGenerator<Uint8Array> {
  const file = await open(path).catch(onMissing);
  try {
    let position = range?.start ?? 0;
    const end = range ? range.end + 1 : Infinity;
    while (position < end) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK, end - position));
      const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
