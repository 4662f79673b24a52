import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { ConfigError } from '../../core/context/config.ts';
import { StorageFullError } from '../../core/context/storage.ts';
import { makeFolders } from '../../core/files/make-folders.ts';
import { codeOf } from '../../core/errors.ts';

/** Makes the folder of an embedded database. Throws ConfigError where it can't be made or written to. */
export async function makeDataFolder(dataDir: string): Promise<void> {
  try {
    await makeFolders(dataDir);
    await access(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOSPC') throw error;
    throw new ConfigError(
      `DATA_DIR: expected a folder that this user can make and write to: ${code ?? String(error)} (is ${JSON.stringify(dataDir)})`,
      { cause: error },
    );
  }
}

/** What failed on an embedded database, in words of its folder where its disk is full. */
export function tellFullDisk(error: unknown, dataDir: string): unknown {
  if (error instanceof StorageFullError) return error;
  for (let current = error; current instanceof Error; current = current.cause)
    if (/^(ENOSPC|EDQUOT|53100)$/.test(codeOf(current) ?? ''))
      return new StorageFullError(
        `error: the disk of DATA_DIR (${dataDir}) is full: make room, or choose another folder`,
        { cause: error },
      );
  return error;
}
