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
  const release = lockPartial(folder, file);
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

function lockPartial(folder: string, file: string): () => void {
  try {
    return lockFolder(folder);
  } catch (error) {
    if (error instanceof FolderInUseError)
      throw new BackupPlaceError(`another process writes ${file}`);
    throw error;
  }
}
