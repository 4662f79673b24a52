import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StorageBusyError } from '../core/context/storage.ts';
import { makeFolders } from '../core/files/make-folders.ts';
import { ignoreMissing } from './missing-files.ts';

/**
 * Makes a folder, and makes it anew only on the disk on which it was: what is written in the place of a disk that is not
 * mounted any more is hidden once it is back. Then throws StorageBusyError.
 */
export function makeOnSameDisk(folder: string): () => Promise<void> {
  let disk = statSync(folder, { throwIfNoEntry: false })?.dev;
  return async () => {
    if (disk !== undefined && (await diskOf(folder)) !== disk)
      throw new StorageBusyError(`the disk of ${folder} is not mounted any more`);
    await makeFolders(folder);
    disk ??= await diskOf(folder);
  };
}

/** The disk of a folder, or of where it would be. */
async function diskOf(folder: string): Promise<number> {
  const found = await stat(folder).catch(ignoreMissing);
  return found ? found.dev : diskOf(dirname(folder));
}
