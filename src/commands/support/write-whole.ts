import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { cleanWhenKilled } from '../../core/clean-when-killed.ts';
import { writeNewFile } from '../../core/files/write-new-file.ts';
import { tellFull } from '../../storage/tell-full.ts';

/**
 * Writes a file whole or not at all: as `part`, by default beside its place, and there when all has come. Throws
 * StorageFullError.
 */
export async function writeWhole(
  target: string,
  bytes: AsyncIterable<Uint8Array>,
  // Not named by the target, whose name may be as long as a name can be.
  part = join(dirname(target), `${randomUUID()}.part`),
): Promise<void> {
  const forget = cleanWhenKilled(() => rmSync(part, { force: true }));
  try {
    await writeNewFile(part, (file) => pipeline(Readable.from(bytes, { objectMode: false }), file));
    await rename(part, target);
  } catch (error) {
    await rm(part, { force: true });
    throw tellFull(error, `no space for ${target}: nothing of it was kept`);
  } finally {
    forget();
  }
}
