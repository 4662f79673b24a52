import { existsSync, rmSync } from 'node:fs';
import { lstat, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cleanWhenKilled } from '../core/clean-when-killed.ts';
import { FolderInUseError, lockFolder } from '../core/database/folder-lock.ts';
import { BackupPlaceError } from './backup-format.ts';

/** Throws BackupPlaceError for what can only be a folder. */
export function requireFileName(file: string): void {
  if (/(^|[/\\])$/.test(file)) throw new BackupPlaceError(`"${file}" is no name of a file`);
}

/**
 * Where a file is until it is whole: in the folder `<file>.partial`, which its writer holds the lock of. What a killed one
 * has left there is replaced. Throws BackupPlaceError while another process writes the same file.
 */
export async function openPartial(
  file: string,
): Promise<{ path: string; remove(): Promise<void> }> {
  if (!existsSync(dirname(file))) throw new BackupPlaceError(`${file}: no such folder`);
  const folder = `${file}.partial`;
  if ((await lstat(folder).catch(() => undefined))?.isDirectory() === false)
    throw new BackupPlaceError(
      `${folder} exists, perhaps of an interrupted command: remove it, or choose another name`,
    );
  const release = lockPartial(folder, () => new BackupPlaceError(`another process writes ${file}`));
  const path = join(folder, 'data');
  const forget = cleanWhenKilled(() => rmSync(folder, { recursive: true, force: true }));
  const remove = async (): Promise<void> => {
    forget();
    await rm(path, { force: true });
    release();
    // It is not empty where another process has taken it meanwhile.
    await rmdir(folder).catch(() => undefined);
  };
  try {
    await rm(path, { force: true });
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, remove };
}

/** Takes the lock of a folder, and returns what gives it back. Throws what `refuse` makes where another process has it. */
export function lockPartial(folder: string, refuse: () => Error): () => void {
  try {
    return lockFolder(folder);
  } catch (error) {
    throw error instanceof FolderInUseError ? refuse() : error;
  }
}
