import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { open, readdir, readFile, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { cleanWhenKilled } from '../core/clean-when-killed.ts';
import { lockFolder } from '../core/database/folder-lock.ts';
import { RESTORED, RESTORING } from '../core/database/restored-folder.ts';
import {
  type BackupManifest,
  BackupPlaceError,
  DamagedBackupError,
  MANIFEST,
  type StorePlaces,
} from './backup-format.ts';
import { makeFolders } from '../core/files/make-folders.ts';
import { isFull, tellFull } from './tell-full.ts';
import { readManifest } from './read-manifest.ts';
import { codeOf } from '../core/errors.ts';

/**
 * Restores a backup into empty folders: unpacks it next to them, compares every SHA-256 with the manifest, and only
 * then moves it in. The restore counts once the file `pg.complete` exists, which comes last; what an interrupted one
 * has moved in is removed by the next, and until then nothing opens the database. Throws FolderInUseError,
 * BackupPlaceError if a folder is not empty, DamagedBackupError, StorageFullError.
 */
export async function restoreBackup(
  file: string,
  { dataDir, blobs }: StorePlaces,
): Promise<BackupManifest> {
  const handle = await open(file, 'r');
  const places: RestorePlaces = {
    pg: join(dataDir, 'pg'),
    complete: join(dataDir, 'pg.complete'),
    objects: blobs === undefined ? undefined : resolve(blobs, 'objects'),
    moving: join(dataDir, RESTORING, 'moving'),
  };
  const halfway = {
    pg: join(dataDir, RESTORING, 'pg'),
    blobs: blobs === undefined ? undefined : join(blobs, RESTORING, 'objects'),
  };
  const clear = (): void => {
    // A start refuses a folder with what is removed last.
    for (const folder of [blobs, dataDir])
      if (folder !== undefined) rmSync(join(folder, RESTORING), { recursive: true, force: true });
  };
  let release = (): void => undefined;
  try {
    if ((await handle.stat()).isDirectory()) throw new BackupPlaceError(`${file} is a folder`);
    release = lockFolder(dataDir);
    await refuseOccupied(places);
    await removeMoved(places);
    clear();
    const forget = cleanWhenKilled(clear);
    try {
      const manifest = await unpack(file, handle, halfway);
      forget();
      await moveIn(halfway, places);
      return manifest;
    } finally {
      forget();
      clear();
    }
  } catch (error) {
    throw tellFull(
      error,
      `no space in ${dataDir}${blobs === undefined ? '' : ` or ${blobs}`} to restore ${file}: nothing was kept`,
    );
  } finally {
    release();
    await handle.close();
  }
}

/** Where what is restored comes to. */
interface RestorePlaces {
  pg: string;
  complete: string;
  objects: string | undefined;
  /** A file that exists while the places are filled, and says where the objects are. */
  moving: string;
}

/** Of the system, for a folder that may not be written to. */
const isForbidden = (error: unknown): boolean => /^(EACCES|EPERM|EROFS)$/.test(codeOf(error) ?? '');

async function moveIn(
  halfway: { pg: string; blobs: string | undefined },
  places: RestorePlaces,
): Promise<void> {
  const { pg, complete, objects, moving } = places;
  await writeWhole(moving, [Buffer.from(objects ?? '')]);
  try {
    if (objects !== undefined && halfway.blobs !== undefined && existsSync(halfway.blobs)) {
      await rm(objects, { recursive: true, force: true });
      await rename(halfway.blobs, objects);
    }
    await rename(halfway.pg, pg);
    const restored = `${moving}.complete`;
    await writeWhole(restored, [Buffer.from(RESTORED)]);
    await rename(restored, complete);
  } catch (error) {
    await removeMoved(places);
    throw error;
  }
}

/** Removes what a restore that did not come to its end has moved into these places. */
async function removeMoved(places: RestorePlaces): Promise<void> {
  if (!(await isInterrupted(places))) return;
  for (const path of [places.pg, places.objects])
    if (path !== undefined) await rm(path, { recursive: true, force: true });
}

/** Whether a restore into these places has begun to move, and not come to its end. */
async function isInterrupted({ complete, objects, moving }: RestorePlaces): Promise<boolean> {
  if (existsSync(complete)) return false;
  const found = await readFile(moving, 'utf8').catch(() => undefined);
  return found === (objects ?? '');
}

async function refuseOccupied(places: RestorePlaces): Promise<void> {
  if (await isInterrupted(places)) return;
  const { pg, complete, objects } = places;
  const stored = objects === undefined ? [] : await readdir(objects).catch(() => []);
  const found =
    [pg, complete].find((path) => existsSync(path)) ?? (stored.length > 0 ? objects : undefined);
  if (found !== undefined)
    throw new BackupPlaceError(
      `${found} exists: restore into an empty DATA_DIR, or move what is there away first`,
    );
}

async function unpack(
  file: string,
  handle: FileHandle,
  into: { pg: string; blobs: string | undefined },
): Promise<BackupManifest> {
  const archive = extract();
  // Opened once: what comes through a pipe can't be opened again.
  const fed = pipeline(handle.createReadStream(), createGunzip(), archive);
  fed.catch(() => {});
  const seen = new Map<string, { size: number; sha256: string }>();
  let manifest: BackupManifest | undefined;
  try {
    for await (const entry of archive) {
      const { name, type } = entry.header;
      // The type doesn't say that the chunks are always bytes.
      const body = entry as AsyncIterable<unknown> as AsyncIterable<Uint8Array>;
      if (manifest) throw new DamagedBackupError('something follows the manifest');
      if (name === MANIFEST) {
        manifest = await readManifest(body);
        continue;
      }
      const path = placeOf(name, into);
      if (type === 'directory') {
        await makeFolders(path);
        entry.resume();
      } else {
        await makeFolders(dirname(path));
        seen.set(name, await writeWhole(path, body));
      }
    }
    await fed;
  } catch (error) {
    if (isFull(error) || isForbidden(error) || error instanceof BackupPlaceError) throw error;
    throw new DamagedBackupError(
      `${file} is no whole backup: ${error instanceof Error ? error.message : String(error)}; nothing was restored`,
    );
  }
  const fault = manifest ? differenceOf(manifest, seen) : 'its end is missing';
  if (!manifest || fault !== undefined)
    throw new DamagedBackupError(
      `${file} is no whole backup: ${fault ?? ''}; nothing was restored`,
    );
  return manifest;
}

function differenceOf(
  { files }: BackupManifest,
  seen: Map<string, { size: number; sha256: string }>,
): string | undefined {
  for (const [name, { size, sha256 }] of Object.entries(files)) {
    const found = seen.get(name);
    if (!found) return `${name} is missing`;
    if (found.size !== size || found.sha256 !== sha256) return `${name} is not what was backed up`;
  }
  const extra = [...seen.keys()].find((name) => !(name in files));
  if (extra !== undefined) return `${extra} is not in its manifest`;
  return 'pg/PG_VERSION' in files ? undefined : 'it holds no database';
}

/** The path of an entry; no name can point outside the two folders. */
function placeOf(name: string, into: { pg: string; blobs: string | undefined }): string {
  const [part, ...rest] = name.replace(/\/$/, '').split('/');
  if (
    rest.length === 0 ||
    rest.some(
      (segment) =>
        segment === '' ||
        segment === '.' ||
        segment === '..' ||
        segment.includes('\\') ||
        segment.includes('\0'),
    )
  )
    throw new DamagedBackupError(`unusable name ${JSON.stringify(name)}`);
  if (part === 'pg') return join(into.pg, ...rest);
  if (part === 'blobs' && into.blobs !== undefined) return join(into.blobs, ...rest);
  if (part === 'blobs')
    throw new BackupPlaceError(
      'the backup holds images, and STORAGE is on S3: restore with STORAGE unset or a folder',
    );
  throw new DamagedBackupError(`unusable name ${JSON.stringify(name)}`);
}

async function writeWhole(
  path: string,
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  const out = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of body) {
      hash.update(chunk);
      size += chunk.byteLength;
      await out.writeFile(chunk);
    }
    await out.sync();
  } finally {
    await out.close();
  }
  return { size, sha256: hash.digest('hex') };
}
