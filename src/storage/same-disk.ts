import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StorageMissingError } from '../core/context/storage.ts';
import { makeFolders } from '../core/files/make-folders.ts';
import { ignoreMissing } from './missing-files.ts';

/** A folder that stays on the disk on which it was first seen. */
export interface SameDisk {
  /** Throws StorageMissingError while the folder is on another disk, or would be: its own is not mounted any more. */
  check: () => Promise<void>;
  /**
   * Makes the folder when it is missing. What is written in the place of its disk would be hidden once that is back:
   * throws as `check`.
   */
  make: () => Promise<void>;
}

export function keepOnDisk(folder: string): SameDisk {
  let disk = statSync(folder, { throwIfNoEntry: false })?.dev;
  const check = async (): Promise<void> => {
    if (disk !== undefined && (await diskOf(folder)) !== disk)
      throw new StorageMissingError(`the disk of ${folder} is not mounted any more`);
  };
  return {
    check,
    make: async () => {
      await check();
      await makeFolders(folder);
      disk ??= await diskOf(folder);
    },
  };
}

/** The disk of a folder, or of where it would be. */
async function diskOf(folder: string): Promise<number> {
  const found = await stat(folder).catch(ignoreMissing);
  return found ? found.dev : diskOf(dirname(folder));
}
