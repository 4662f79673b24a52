import { createReadStream, readdirSync, rmSync, statSync } from 'node:fs';
import { chown, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { cleanWhenKilled } from '../../core/clean-when-killed.ts';
import type { Config } from '../../core/context/config.ts';
import { isOwnerGone, ownedName } from '../../core/files/owned-name.ts';
import { writeNewFile } from '../../core/files/write-new-file.ts';
import { tellFull } from '../../storage/tell-full.ts';
import { controlFile } from './control-path.ts';

/** What a file is called that a command lends to a gateway, or has it make; what it lends names its process. */
export const LENT = /^command-([0-9a-f]{16}\.\d+\.\d*\.)?[0-9a-f-]{36}$/;

/** Bytes that are read at a time: the records in them are checked in one go. */
const CHUNK = 16_384;

/**
 * Copies bytes into the data folder, which is all that a gateway is sure to see, and removes the copy after `use`. So a
 * slow source does not keep the database waiting. `bytes` is called when there is a file for them. Throws StorageFullError.
 */
export async function lendFile<T>(
  dataDir: string,
  bytes: () => AsyncIterable<Uint8Array>,
  use: (name: string) => Promise<T>,
): Promise<T> {
  const name = `command-${ownedName()}`;
  const path = join(dataDir, name);
  const forget = cleanWhenKilled(() => rmSync(path, { force: true }));
  try {
    await writeNewFile(path, (file) => pipeline(bytes(), file), { mode: 0o600 }).catch(
      (error: unknown) => {
        throw tellFull(
          error,
          `no space in ${dataDir} for the copy that the running gateway reads: make some, and run the same again`,
        );
      },
    );
    // The gateway may have begun to stop.
    const socket = statSync(controlFile(dataDir), { throwIfNoEntry: false });
    const { uid, gid } = socket ?? statSync(dataDir);
    if (process.getuid?.() === 0) await chown(path, uid, gid);
    return await use(name);
  } finally {
    forget();
    await rm(path, { force: true });
  }
}

/** Where a file is that a command lends or wants; commands that open the database themselves give its path. */
export const placeOf = ({ database }: Config, file: string): string =>
  database.kind === 'embedded' ? resolve(database.dataDir, file) : resolve(file);

/** The bytes of a file that was lent, or of any path, or of standard input for `-`. */
export function openFile(config: Config, file: string): Readable {
  if (file === '-') return process.stdin;
  return createReadStream(placeOf(config, file), { highWaterMark: CHUNK });
}

/** Whether openFile gives the same bytes once more: a pipe gives them once. */
export const canReadAgain = ({ config }: { config: Config }, file: string): boolean =>
  file !== '-' && statSync(placeOf(config, file)).isFile();

/** How long an export that was stopped waits to be gone on with, in milliseconds. */
const WAITS = 24 * 60 * 60_000;

/** How long what was made for a command is left for it, in milliseconds: it takes it at once. */
const TAKES = 60_000;

/** How long what a command of another container or machine lends is left alone, in milliseconds: it can't be asked there. */
const ELSEWHERE = 15 * 60_000;

/**
 * Removes what killed commands left, and exports that were stopped a day ago and not gone on with; nothing that a job
 * uses.
 */
export function removeLent(dataDir: string, used: ReadonlySet<string> = new Set()): void {
  for (const entry of readdirSync(dataDir)) {
    const path = join(dataDir, entry);
    const name = entry.replace(/\.partial$/, '');
    if (!LENT.test(name) || used.has(name)) continue;
    const left = entry === name ? isLeft(name, path) : isOld(join(path, 'data'), WAITS);
    if (left) rmSync(path, { recursive: true, force: true });
  }
}

function isLeft(name: string, path: string): boolean {
  const gone = isOwnerGone(name.replace(/^command-/, ''), () => isOld(path, ELSEWHERE));
  return gone ?? isOld(path, TAKES);
}

function isOld(path: string, ms: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined || found.mtimeMs < Date.now() - ms;
}
