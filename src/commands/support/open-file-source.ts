import { open } from 'node:fs/promises';
import type { ArchiveSource } from '../../sdk/e2ee.ts';
import { UsageError } from './usage-error.ts';

const PIECE = 512 * 1024;

/** Runs `work` with a local file as the source of an archive: only the pieces in use are in memory. */
export async function withFileSource<T>(
  path: string,
  work: (source: ArchiveSource) => Promise<T>,
): Promise<T> {
  const file = await open(path, 'r');
  try {
    const found = await file.stat();
    if (found.isDirectory()) throw new UsageError(`${path} is a folder`);
    // Its end comes first, and a pipe can't be read from there.
    if (!found.isFile()) throw new UsageError(`${path} is no file`);
    return await work({
      size: found.size,
      async *read(start, end) {
        for (let at = start; at < end;) {
          const piece = Buffer.allocUnsafe(Math.min(PIECE, end - at));
          const { bytesRead } = await file.read(piece, 0, piece.length, at);
          if (bytesRead === 0) return;
          at += bytesRead;
          yield piece.subarray(0, bytesRead);
        }
      },
    });
  } finally {
    await file.close();
  }
}
