import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { writeNewFile } from '../../core/files/write-new-file.ts';

/** Writes a file whole or not at all: beside its place, and there when all has come. */
export async function writeWhole(target: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const part = `${target}.${randomUUID()}.part`;
  await writeNewFile(part, (file) => pipeline(Readable.from(bytes, { objectMode: false }), file));
  try {
    await rename(part, target);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
