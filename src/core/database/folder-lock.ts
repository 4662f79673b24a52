import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../files/private-folder.ts';
import { isAlive, readProcess, thisProcess, type RunningProcess } from '../running-process.ts';

/** Thrown when another living process holds the folder. */
export class FolderInUseError extends Error {
  override name = 'FolderInUseError';
}

/**
 * Takes the exclusive lock of a data folder (the file `lock`, which contains the pid), makes the folder private, and
 * returns the function that releases the lock. The lock of a dead process is taken over, whatever its age. This is
 * needed because PGlite takes no lock of its own: two processes on one folder lose data.
 */
export function lockFolder(folder: string): () => void {
  makePrivateFolder(folder);
  const file = join(folder, 'lock');
  for (let attempt = 0; attempt < 50; attempt++) {
    if (createLock(file)) return releaseOf(file);
    const holder = readProcess(file);
    if (holder !== undefined && isAlive(holder)) {
      throw new FolderInUseError(
        `${folder} is in use by process ${holder.pid}. Stop that process, or choose another DATA_DIR, or set DATABASE_URL.`,
      );
    }
    reap(file, holder);
  }
  throw new FolderInUseError(
    `${file} can't be taken over; if no other process uses ${folder}, remove it`,
  );
}

/** Whether a living process holds the folder. */
export function isLocked(folder: string): boolean {
  const holder = readProcess(join(folder, 'lock'));
  return holder !== undefined && isAlive(holder);
}

/** Removes the lock once; also when the process exits unexpectedly. */
function releaseOf(file: string): () => void {
  const release = (): void => {
    process.off('exit', release);
    rmSync(file, { force: true });
  };
  process.on('exit', release);
  return release;
}

function createLock(file: string): boolean {
  let handle: number;
  try {
    handle = openSync(file, 'wx', 0o600);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
  writeSync(handle, thisProcess());
  closeSync(handle);
  return true;
}

/**
 * Removes a dead process's lock. Only one process may do this at a time, or a second could remove the lock that the
 * first has just taken.
 */
function reap(file: string, dead: RunningProcess | undefined): void {
  const mutex = `${file}.reap`;
  if (!createLock(mutex)) {
    const reaper = readProcess(mutex);
    if (reaper && !isAlive(reaper)) rmSync(mutex, { force: true });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    return;
  }
  try {
    const now = readProcess(file);
    if (now && now.pid === dead?.pid && now.startedAt === dead.startedAt)
      rmSync(file, { force: true });
  } finally {
    rmSync(mutex, { force: true });
  }
}
