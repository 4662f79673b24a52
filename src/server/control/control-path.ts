import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';

/** Name of the socket in the data folder of an embedded database. */
const NAME = 'control.sock';

/** Longest path of a socket, in bytes: 108 with the final NUL on Linux, 104 on BSD and macOS. */
const MAX_PATH = 103;

/** The socket of a data folder, as files are named. */
export const controlFile = (dataDir: string): string => join(dataDir, NAME);

/**
 * Passes on a name of the socket that fits into a socket address: its path, or where that is too long, and the system
 * has /proc, its name below the open folder. Passes on undefined when there is none.
 */
export async function withSocketPath<T>(
  dataDir: string,
  use: (path: string | undefined) => Promise<T>,
): Promise<T> {
  const path = controlFile(dataDir);
  if (Buffer.byteLength(path) <= MAX_PATH) return use(path);
  if (!existsSync('/proc/self/fd')) return use(undefined);
  const folder = openSync(dataDir, 'r');
  try {
    return await use(`/proc/self/fd/${folder}/${NAME}`);
  } finally {
    closeSync(folder);
  }
}
