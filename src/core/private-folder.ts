import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Makes a folder that its owner alone may enter, and closes one that others could. */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  restrict(folder, 0o700);
}

/** Takes a folder and all that is in it from everybody but its owner: folders 0700, files 0600. From the top down, so that nobody changes what lies below meanwhile. */
export function makePrivateTree(folder: string): void {
  makePrivateFolder(folder);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) makePrivateTree(path);
    else if (entry.isFile()) restrict(path, 0o600);
  }
}

/** Of what another user owns the mode can't be set, such as the mount point of a volume: what we make below it is closed all the same. */
export function restrict(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && isForeign.has(String(error.code))))
      throw error;
  }
}

const isForeign = new Set(['EPERM', 'EROFS', 'ENOTSUP', 'ENOENT']);
