import { randomUUID } from 'node:crypto';
import { createReadStream, readdirSync, rmSync, statSync } from 'node:fs';
import { chown, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../../core/context/config.ts';
import { writeNewFile } from '../../core/files/write-new-file.ts';
import { controlFile } from './control-path.ts';

/** What a file is called that a command lends to a gateway. */
export const LENT = /^command-[0-9a-f-]{36}$/;

/** Bytes that are read at a time: the records in them are checked in one go. */
const CHUNK = 16_384;

/**
 * Copies bytes into the data folder, which is all that a gateway is sure to see, and removes the copy after `use`. So a
 * slow source does not keep the database waiting. `bytes` is called when there is a file for them.
 */
export async function lendFile<T>(
  dataDir: string,
  bytes: () => AsyncIterable<Uint8Array>,
  use: (name: string) => Promise<T>,
): Promise<T> {
  const name = `command-${randomUUID()}`;
  const path = join(dataDir, name);
  try {
    await writeNewFile(path, (file) => pipeline(bytes(), file), { mode: 0o600 });
    // The gateway may have begun to stop.
    const socket = statSync(controlFile(dataDir), { throwIfNoEntry: false });
    const { uid, gid } = socket ?? statSync(dataDir);
    if (process.getuid?.() === 0) await chown(path, uid, gid);
    return await use(name);
  } finally {
    await rm(path, { force: true });
  }
}

/** The bytes of a file that was lent, or of any path, or of standard input for `-`. */
export function openFile({ database }: Config, file: string): Readable {
  if (file === '-') return process.stdin;
  const path = database.kind === 'embedded' ? resolve(database.dataDir, file) : resolve(file);
  return createReadStream(path, { highWaterMark: CHUNK });
}

/** How long an export that was stopped waits to be gone on with, in milliseconds. */
const WAITS = 24 * 60 * 60_000;

/** A file that a command lends is written to, or has been for a shorter time than a command waits, in milliseconds. */
const LENDS = 60_000;

/** Removes what commands left that were killed, and exports that were stopped a day ago and not gone on with. */
export function removeLent(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    const path = join(dataDir, name);
    if (!LENT.test(name.replace(/\.partial$/, ''))) continue;
    const left = LENT.test(name) ? isOld(path, LENDS) : isOld(join(path, 'data'), WAITS);
    if (left) rmSync(path, { recursive: true, force: true });
  }
}

function isOld(path: string, ms: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined || found.mtimeMs < Date.now() - ms;
}
