import { createHash } from 'node:crypto';
import { createReadStream, existsSync, type Dirent } from 'node:fs';
import { readdir, realpath, rename, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';
import { lockFolder } from '../core/database/folder-lock.ts';
import { writeNewFile } from '../core/files/write-new-file.ts';
import {
  BackupPlaceError,
  MANIFEST,
  type BackupManifest,
  type StorePlaces,
} from './backup-format.ts';
import { openPartial, requireFileName } from './open-partial.ts';
import { tellFull } from './tell-full.ts';
import { syncFolder } from './sync-folders.ts';

/**
 * Writes the embedded database and its blobs into one gzipped tar file, completely or not at all. Holds the lock of the
 * folder meanwhile, so that nothing changes. What an interrupted backup has left in `<file>.partial` is replaced. Throws
 * FolderInUseError while a gateway runs, StorageFullError, and BackupPlaceError when there is no database, the file
 * exists, another backup writes it, it would be part of what is backed up, or that holds links.
 */
export async function writeBackup(
  { dataDir, blobs }: StorePlaces,
  file: string,
): Promise<BackupManifest> {
  requireFileName(file);
  if (!existsSync(join(dataDir, 'pg.complete')))
    throw new BackupPlaceError(`${dataDir} holds no embedded database`);
  const parts = [
    { name: 'pg', folder: join(dataDir, 'pg') },
    ...(blobs === undefined ? [] : [{ name: 'blobs', folder: join(blobs, 'objects') }]),
  ];
  await refuseInside(file, parts);
  const release = lockFolder(dataDir);
  try {
    const partial = await openPartial(file);
    try {
      if (existsSync(file)) throw new BackupPlaceError(`${file} exists: choose another name`);
      const manifest: BackupManifest = {
        format: 1,
        createdAt: new Date().toISOString(),
        hasBlobs: blobs !== undefined,
        files: {},
      };
      await writeNewFile(
        partial.path,
        async (to) => {
          const archive = pack();
          const filled = fill(archive, manifest, parts);
          filled.catch((error: unknown) =>
            archive.destroy(error instanceof Error ? error : new Error(String(error))),
          );
          await pipeline(archive, createGzip(), to);
          await filled;
        },
        { mode: 0o600, flush: true },
      );
      await rename(partial.path, file);
      await syncFolder(dirname(file));
      return manifest;
    } finally {
      await partial.remove();
    }
  } catch (error) {
    throw tellFull(error, `no space for ${file}: nothing was kept`);
  } finally {
    release();
  }
}

/** A backup in a folder that is read for it would be in itself, and never end. */
async function refuseInside(file: string, parts: readonly { folder: string }[]): Promise<void> {
  const target = await realpath(dirname(file)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new BackupPlaceError(`${file}: no such folder`);
  });
  for (const { folder } of parts) {
    const read = await realpath(folder).catch(() => undefined);
    if (read !== undefined && `${target}${sep}`.startsWith(`${read}${sep}`))
      throw new BackupPlaceError(`${file} is in a folder that is backed up: choose another one`);
  }
}

async function fill(
  archive: Pack,
  manifest: BackupManifest,
  parts: { name: string; folder: string }[],
): Promise<void> {
  const found = [];
  for (const part of parts) found.push({ ...part, entries: await entriesOf(part.folder) });
  for (const { name, folder, entries } of found) {
    for (const { entry, path } of entries) {
      const inside = `${name}/${relative(folder, path).replaceAll('\\', '/')}`;
      // PostgreSQL needs its empty folders too.
      if (entry.isDirectory())
        archive.entry({ name: `${inside}/`, type: 'directory', mode: 0o700 });
      else manifest.files[inside] = await addFile(archive, inside, path);
    }
  }
  archive.entry({ name: MANIFEST, mode: 0o600 }, JSON.stringify(manifest));
  archive.finalize();
}

/** Everything below a folder, in order. Throws BackupPlaceError for a link: what it points to would be missing in the backup. */
async function entriesOf(folder: string): Promise<{ entry: Dirent; path: string }[]> {
  const entries = existsSync(folder)
    ? await readdir(folder, { recursive: true, withFileTypes: true })
    : [];
  const found = entries
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const other = found.find(({ entry }) => !entry.isDirectory() && !entry.isFile());
  if (other)
    throw new BackupPlaceError(
      `${other.path} is a link, or no file, and can't be backed up: put what it stands for in its place`,
    );
  return found;
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
