import { open, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';

/**
 * Makes a file and has it written; a failure leaves none. The file is opened first: a stream that opens its file by
 * itself can do so after it has failed, and the file was removed. Throws EEXIST for a file that is there.
 */
export async function writeNewFile(
  path: string,
  write: (file: Writable) => Promise<void>,
  { mode, flush }: { mode?: number; flush?: boolean } = {},
): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await write(file.createWriteStream({ flush: flush ?? false }));
  } catch (error) {
    await file.close();
    await rm(path, { force: true });
    throw error;
  }
}
