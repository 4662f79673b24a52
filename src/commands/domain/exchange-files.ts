import { hash, randomUUID } from 'node:crypto';
import { constants, createReadStream, rmSync } from 'node:fs';
import { copyFile, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { cleanWhenKilled } from '../../core/clean-when-killed.ts';
import { lendFile } from '../../server/control/lend-file.ts';
import { openPartial } from '../../storage/open-partial.ts';
import { isFull, tellFull } from '../../storage/tell-full.ts';
import { UsageError } from '../support/usage-error.ts';
import { codeOf } from '../../core/errors.ts';

/** Runs `use` with the path of a file as the process sees it that does the work: a gateway gets a copy. */
export async function lend<T>(
  gateway: string | undefined,
  path: string,
  use: (name: string) => Promise<T>,
): Promise<T> {
  return gateway === undefined ? use(path) : lendFile(gateway, () => createReadStream(path), use);
}

/**
 * Runs `make` with where it is to put a file. A gateway puts it into its data folder, always at the same place for the
 * same file, so that it can go on; from there it is brought to its path. Throws StorageFullError where it has no space
 * there, and BackupPlaceError while another process writes the same.
 */
export async function borrowFile<T>(
  gateway: string | undefined,
  path: string,
  make: (target: string) => Promise<T>,
): Promise<T> {
  if (gateway === undefined) return make(path);
  const name = `command-${hash('sha256', path).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')}`;
  const made = join(gateway, name);
  const partial = await openPartial(path);
  const forget = cleanWhenKilled(() => rmSync(made, { force: true }));
  try {
    // Again: another command may just have brought it.
    await requireTarget(path);
    await rm(made, { force: true });
    const result = await make(name);
    await bring(made, path, partial.path);
    return result;
  } finally {
    forget();
    await rm(made, { force: true });
    await partial.remove();
  }
}

/** Moves a file, over `part` where it has to be copied. */
async function bring(made: string, path: string, part: string): Promise<void> {
  try {
    await rename(made, path).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EXDEV') throw error;
      await copyFile(made, part, constants.COPYFILE_FICLONE);
      await rename(part, path);
    });
  } catch (error) {
    throw tellFull(error, noSpace(path));
  }
}

/** Refuses a file that can't be written, before there is work for it. Throws UsageError, StorageFullError. */
export async function requireTarget(file: string): Promise<void> {
  if (await stat(file).catch(() => undefined))
    throw new UsageError(`${file} exists: choose another name`);
  const part = `${file}.${randomUUID()}.part`;
  try {
    await (await open(part, 'wx', 0o600)).close();
  } catch (error) {
    if (isFull(error)) throw tellFull(error, noSpace(file));
    throw new UsageError(`${file} can't be written: ${describe(error)}`);
  }
  await rm(part, { force: true });
}

function describe(error: unknown): string {
  const code = codeOf(error);
  return code === 'ENOENT' ? 'no such folder' : (code ?? String(error));
}

const noSpace = (file: string): string => `no space for ${file}: make some, and run the same again`;
