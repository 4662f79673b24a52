import { existsSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../core/context/config.ts';

/**
 * Throws the system's error if this user can't write the files of uploads: to the folder for them, or where it would be
 * made. Makes nothing.
 */
export async function checkWritable(storage: Config['storage']): Promise<void> {
  let folder =
    storage.kind === 'filesystem' ? join(storage.folder, 'staging') : storage.stagingFolder;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  await access(folder, constants.W_OK | constants.X_OK);
}
