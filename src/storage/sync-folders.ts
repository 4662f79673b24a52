import fs from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { makeFolders } from '../core/files/make-folders.ts';

const openFile = promisify(fs.open);
const syncFile = promisify(fs.fsync);

/** Creates the folder and syncs each parent that got a new entry. */
export async function makeFolder(folder: string, root: string): Promise<void> {
  if ((await makeFolders(folder)) === undefined) return;
  for (
    let parent = dirname(folder);
    parent.length >= dirname(root).length;
    parent = dirname(parent)
  )
    await syncFolder(parent);
}

/** Syncs a folder, so that its entries survive a loss of power. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await openFile(path, 'r');
  try {
    await syncFile(folder);
  } finally {
    fs.closeSync(folder);
  }
}
