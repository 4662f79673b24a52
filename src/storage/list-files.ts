import type { Dirent } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { BlobStat } from '../core/context/storage.ts';
import { ignoreMissing } from './missing-files.ts';

/** All files below a folder, with their keys. */
export async function* listFiles(root: string): AsyncGenerator<BlobStat> {
  for await (const entry of walk(root)) {
    const path = join(entry.parentPath, entry.name);
    const found = await stat(path).catch(ignoreMissing);
    if (found)
      yield {
        key: relative(root, path).split(sep).join('/'),
        size: found.size,
        modifiedAt: found.mtime,
      };
  }
}

async function* walk(folder: string): AsyncGenerator<Dirent> {
  const entries = await opendir(folder).catch(ignoreMissing);
  if (!entries) return;
  for await (const entry of entries) {
    if (entry.isDirectory()) yield* walk(join(folder, entry.name));
    else if (entry.isFile()) yield entry;
  }
}
