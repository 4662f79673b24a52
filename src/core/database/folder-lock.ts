import { closeSync, openSync, rmSync, statSync, utimesSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../files/private-folder.ts';
import {
  isAlive,
  ownPlace,
  readProcess,
  thisProcess,
  type RunningProcess,
} from '../running-process.ts';
import { codeOf } from '../errors.ts';

/** Name of the lock of a data folder. */
export const LOCK = 'lock';

/** How often a lock is touched, in milliseconds. */
const TOUCH_EVERY = 5_000;
/**
 * Where it can't be asked whether the holder lives, as it is in another container or on another machine, it counts as gone
 * after this time without a touch, in milliseconds: soon enough for a container that was killed and starts again.
 */
const UNTOUCHED_MS = 60_000;

/** Thrown when another living process holds the folder. */
export class FolderInUseError extends Error {
  override name = 'FolderInUseError';
}

/**
 * Takes the exclusive lock of a data folder (the file LOCK, which names the process), makes the folder private, and
 * returns the function that releases the lock. The lock of a dead process is taken over, whatever its age; that of another
 * container once it is untouched. This is needed because PGlite takes no lock of its own: two processes on one folder lose
 * data. `onGone` is told once when the folder can't be written any more, because its disk was mounted read-only or has gone.
 */
export function lockFolder(folder: string, onGone?: (error: Error) => void): () => void {
  makePrivateFolder(folder);
  const file = join(folder, LOCK);
  for (let attempt = 0; attempt < 50; attempt++) {
    if (createLock(file)) return releaseOf(file, onGone);
    const holder = readProcess(file);
    if (holder !== undefined && holds(holder, file))
      throw new FolderInUseError(inUse(folder, file, holder));
    reap(file, holder);
  }
  throw new FolderInUseError(
    `${file} can't be taken over; if no other process uses ${folder}, remove it`,
  );
}

function inUse(folder: string, file: string, holder: RunningProcess): string {
  const advice = 'Stop that process, or choose another DATA_DIR, or set DATABASE_URL.';
  if (isHere(holder)) return `${folder} is in use by process ${holder.pid}. ${advice}`;
  const seconds = Math.ceil((UNTOUCHED_MS - untouchedFor(file)) / 1000);
  return `${folder} is in use by process ${holder.pid} of another container or machine. ${advice} If it was killed, try again in ${seconds} s.`;
}

/** Whether a living process holds the folder. */
export function isLocked(folder: string): boolean {
  const file = join(folder, LOCK);
  const holder = readProcess(file);
  return holder !== undefined && holds(holder, file);
}

const isHere = ({ place }: RunningProcess): boolean => place === '' || place === ownPlace();

/** Whether a process, which the lock names, still has it. */
const holds = (holder: RunningProcess, file: string): boolean =>
  isHere(holder) ? isAlive(holder) : untouchedFor(file) < UNTOUCHED_MS;

/** Milliseconds since the lock was touched. */
const untouchedFor = (file: string): number =>
  Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? -Infinity);

/** Touches the lock until it is released: once, also when the process exits unexpectedly. */
function releaseOf(file: string, onGone: ((error: Error) => void) | undefined): () => void {
  const touching = setInterval(() => {
    const gone = touch(file);
    if (gone) onGone?.(gone);
    if (gone) clearInterval(touching);
  }, TOUCH_EVERY).unref();
  const release = (): void => {
    process.off('exit', release);
    clearInterval(touching);
    try {
      if (isLost(file) === false) rmSync(file, { force: true });
    } catch (error) {
      // The next start finds that its process is gone.
      if (!isGone(codeOf(error))) throw error;
    }
  };
  process.on('exit', release);
  return release;
}

/** What a file system says that was mounted read-only, or whose disk has gone. */
const GONE = new Set(['EROFS', 'EIO', 'ENXIO', 'ENODEV', 'ESTALE', 'ENOTCONN']);

const isGone = (code: string | undefined): boolean => code !== undefined && GONE.has(code);

/**
 * Ends this process where another one has taken the folder, after it had stood still for long: it must not write any more.
 * Returns why the folder can't be written any more.
 */
function touch(file: string): Error | undefined {
  if (isLost(file)) throw new FolderInUseError(`${file} was taken over by another process`);
  const now = new Date();
  try {
    utimesSync(file, now, now);
  } catch (error) {
    const code = codeOf(error);
    if (isGone(code))
      return new Error(`its folder can not be written any more (${code})`, { cause: error });
    // The lock counts as given up after a while, but only elsewhere.
  }
  return undefined;
}

/**
 * Whether a lock of this process is that of another one now; undefined while it can't be read, as when too many files
 * are open.
 */
function isLost(file: string): boolean | undefined {
  try {
    const holder = readProcess(file);
    return holder !== undefined && (!isHere(holder) || holder.pid !== process.pid);
  } catch {
    return undefined;
  }
}

function createLock(file: string): boolean {
  let handle: number;
  try {
    handle = openSync(file, 'wx', 0o600);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    writeSync(handle, thisProcess());
  } catch (error) {
    rmSync(file, { force: true });
    throw error instanceof Error ? Object.assign(error, { path: file }) : error;
  } finally {
    closeSync(handle);
  }
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
    if (reaper && !holds(reaper, mutex)) rmSync(mutex, { force: true });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    return;
  }
  try {
    const now = readProcess(file);
    if (now && now.pid === dead?.pid && now.startedAt === dead.startedAt && !holds(now, file))
      rmSync(file, { force: true });
  } finally {
    rmSync(mutex, { force: true });
  }
}
