import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStat } from '../core/context/storage.ts';
import { isOwnerGone, ownPrefix } from '../core/files/owned-name.ts';

/**
 * Where it can't be asked whether the writing process lives, a file counts as left over after this time without a
 * touch: `tidyStaged` touches its own files more often.
 */
const UNTOUCHED_MS = 15 * 60_000;
/** The same for files whose name contains no process. */
const UNNAMED_MS = 24 * 3600 * 1000;

/** Files of the staging folder whose process is gone; changes nothing. */
export async function findLeftovers(folder: string, now: number): Promise<BlobStat[]> {
  const left: BlobStat[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found?.isFile() && isLeft(name, now - found.mtimeMs))
      left.push({ key: name, size: found.size, modifiedAt: found.mtime });
  }
  return left;
}

/** Removes leftovers and touches the files of this process; returns how many were removed. */
export async function tidyStaged(folder: string, now: number): Promise<number> {
  const own = ownPrefix();
  const time = new Date(now);
  for (const name of await readdir(folder).catch(() => []))
    if (name.startsWith(own)) await utimes(join(folder, name), time, time).catch(() => undefined);
  const left = await findLeftovers(folder, now);
  for (const { key } of left) await rm(join(folder, key), { force: true });
  return left.length;
}

function isLeft(name: string, age: number): boolean {
  return isOwnerGone(name, () => age >= UNTOUCHED_MS) ?? age >= UNNAMED_MS;
}
