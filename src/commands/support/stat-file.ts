import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { UsageError } from './usage-error.ts';

/** What lies at a path that the arguments name. Throws UsageError, which names it, if nothing does. */
export function statFile(file: string): Promise<Stats> {
  return stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file}: ${error.code === 'ENOENT' ? 'no such file' : error.message}`);
  });
}
