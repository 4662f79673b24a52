import { randomUUID } from 'node:crypto';
import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStat } from '../core/context/storage.ts';
import { isAlive, ownPlace, processStart } from '../core/running-process.ts';

/**
 * Where it can't be asked whether the writing process lives, a file counts as left over after this time without a
 * touch: `tidyStaged` touches its own files more often.
 */
const UNTOUCHED_MS = 15 * 60_000;
/** The same for files whose name contains no process. */
const UNNAMED_MS = 24 * 3600 * 1000;

const NAME = /^([0-9a-f]{16})\.(\d+)\.(\d*)\.[0-9a-f-]{36}$/;

/**
 * The name of a new file in the staging folder. Several gateways may share the folder, and the name lets each of them
 * check whether the writer is still alive.
 */
export function stagedName(): string {
  return `${ownPrefix()}${randomUUID()}`;
}

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
  const [, place, pid, startedAt = ''] = NAME.exec(name) ?? [];
  if (place === undefined) return age >= UNNAMED_MS;
  if (place !== ownPlace()) return age >= UNTOUCHED_MS;
  return !isAlive({ pid: Number(pid), startedAt });
}

function ownPrefix(): string {
  return `${ownPlace()}.${process.pid}.${processStart(process.pid)}.`;
}
