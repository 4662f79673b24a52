import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '../errors.ts';

/**
 * Makes a folder, and what it lies in, which only their owner may enter; returns the first that it made, if any. `mkdir`
 * with `recursive` would never return where the system says ENOENT for ever, as it does below /proc (Node 20).
 */
export async function makeFolders(folder: string): Promise<string | undefined> {
  const make = (): Promise<boolean> =>
    mkdir(folder, { mode: 0o700 }).then(
      () => true,
      async (error: unknown) => {
        if (codeOf(error) === 'EEXIST' && (await stat(folder)).isDirectory()) return false;
        throw error;
      },
    );
  try {
    return (await make()) ? folder : undefined;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    const first = await makeFolders(dirname(folder));
    return (await make()) ? (first ?? folder) : first;
  }
}
