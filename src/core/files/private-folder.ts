import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf } from '../errors.ts';

/** Creates a folder that only its owner may enter, or restricts an existing one. */
export function makePrivateFolder(folder: string): void {
  makeFoldersSync(folder);
  restrict(folder, 0o700);
}

/** As makeFolders does, which says why `recursive` of the system's own is not used. */
function makeFoldersSync(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && statSync(folder).isDirectory()) return;
    if (codeOf(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    makeFoldersSync(dirname(folder));
    mkdirSync(folder, { mode: 0o700 });
  }
}

/**
 * Removes the access of other users from a folder and all its contents: folders 0700, files 0600. Works from the top
 * down, so that nobody can change the contents meanwhile.
 */
export function makePrivateTree(folder: string): void {
  makePrivateFolder(folder);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) makePrivateTree(path);
    else if (entry.isFile()) restrict(path, 0o600);
  }
}

/**
 * The mode of a path that another user owns can't be set, such as the mount point of a volume; what we create inside is
 * still private.
 */
export function restrict(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    if (!/^(EPERM|EROFS|ENOTSUP|ENOENT)$/.test(codeOf(error) ?? '')) throw error;
  }
}
