import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { copyFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lendFile } from '../../server/control/lend-file.ts';

/** Runs `use` with the paths of files as the process sees them that does the work: a gateway gets copies. */
export async function lendFiles<T>(
  gateway: string | undefined,
  paths: readonly string[],
  use: (names: readonly string[]) => Promise<T>,
): Promise<T> {
  const [first, ...rest] = paths;
  if (first === undefined) return use([]);
  const next = (name: string): Promise<T> =>
    lendFiles(gateway, rest, (names) => use([name, ...names]));
  return gateway === undefined
    ? next(first)
    : lendFile(gateway, () => createReadStream(first), next);
}

/**
 * Runs `make` with where it is to put a file. A gateway puts it into its data folder, always at the same place for the
 * same file, so that it can go on; from there it is brought to its path.
 */
export async function borrowFile<T>(
  gateway: string | undefined,
  path: string,
  make: (target: string) => Promise<T>,
): Promise<T> {
  if (gateway === undefined) return make(path);
  const digest = createHash('sha256').update(path).digest('hex');
  const name = `command-${digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')}`;
  const made = join(gateway, name);
  await rm(made, { force: true });
  const result = await make(name);
  await rename(made, path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EXDEV') throw error;
    await copyFile(made, `${path}.copy`, constants.COPYFILE_FICLONE);
    await rename(`${path}.copy`, path);
    await rm(made, { force: true });
  });
  return result;
}
