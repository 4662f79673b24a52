import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';
import { lockFolder } from '../core/database/folder-lock.ts';
import { StorageFullError } from '../core/context/storage.ts';
import { writeNewFile } from '../core/files/write-new-file.ts';
import {
  BackupPlaceError,
  MANIFEST,
  type BackupManifest,
  type StorePlaces,
} from './backup-format.ts';
import { isFull } from './stage.ts';

/**
 * Writes the embedded database and its blobs into one gzipped tar file, completely or not at all. Holds the lock of the
 * folder meanwhile, so that nothing changes. Throws FolderInUseError while a gateway runs, BackupPlaceError when there
 * is no database or the file exists, StorageFullError.
 */
export async function writeBackup(
  { dataDir, blobs }: StorePlaces,
  file: string,
): Promise<BackupManifest> {
  if (!existsSync(join(dataDir, 'pg.complete')))
    throw new BackupPlaceError(`${dataDir} holds no embedded database`);
  if (existsSync(file)) throw new BackupPlaceError(`${file} exists: choose another name`);
  const release = lockFolder(dataDir);
  const partial = `${file}.partial`;
  try {
    const manifest: BackupManifest = {
      format: 1,
      createdAt: new Date().toISOString(),
      hasBlobs: blobs !== undefined,
      files: {},
    };
    await writeNewFile(
      partial,
      async (to) => {
        const archive = pack();
        const filled = fill(archive, manifest, [
          { name: 'pg', folder: join(dataDir, 'pg') },
          ...(blobs === undefined ? [] : [{ name: 'blobs', folder: join(blobs, 'objects') }]),
        ]);
        filled.catch((error: unknown) =>
          archive.destroy(error instanceof Error ? error : new Error(String(error))),
        );
        await pipeline(archive, createGzip(), to);
        await filled;
      },
      { mode: 0o600, flush: true },
    );
    await rename(partial, file);
    await syncFolder(dirname(file));
    return manifest;
  } catch (error) {
    if (!isExisting(error)) await rm(partial, { force: true });
    throw isFull(error)
      ? new StorageFullError(`no space for ${file}: nothing was kept`, { cause: error })
      : error;
  } finally {
    release();
  }
}

async function fill(
  archive: Pack,
  manifest: BackupManifest,
  parts: { name: string; folder: string }[],
): Promise<void> {
  for (const { name, folder } of parts) {
    const entries = existsSync(folder)
      ? await readdir(folder, { recursive: true, withFileTypes: true })
      : [];
    const paths = entries
      .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
    for (const { entry, path } of paths) {
      const inside = `${name}/${relative(folder, path).replaceAll('\\', '/')}`;
      // PostgreSQL needs its empty folders too.
      if (entry.isDirectory())
        archive.entry({ name: `${inside}/`, type: 'directory', mode: 0o700 });
      else if (entry.isFile()) manifest.files[inside] = await addFile(archive, inside, path);
    }
  }
  archive.entry({ name: MANIFEST, mode: 0o600 }, JSON.stringify(manifest));
  archive.finalize();
}

async function addFile(
  archive: Pack,
  name: string,
  path: string,
): Promise<{ size: number; sha256: string }> {
  const { size, mtime } = await stat(path);
  const hash = createHash('sha256');
  const hashing = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(
    createReadStream(path),
    hashing,
    archive.entry({ name, size, mtime, mode: 0o600 }),
  );
  return { size, sha256: hash.digest('hex') };
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}
