import fs from 'node:fs';
import { promisify } from 'node:util';

const openFile = promisify(fs.open);
const readBytes = promisify(fs.read);

/**
 * Fills memory with the bytes of a file from a position on, as far as they go; returns their number. Uses plain
 * descriptors: a FileHandle costs more than reading a small file.
 */
export async function readFileInto(
  path: string,
  target: Uint8Array,
  position: number,
): Promise<number> {
  const file = await openFile(path, 'r');
  try {
    let filled = 0;
    while (filled < target.length) {
      const { bytesRead } = await readBytes(
        file,
        target,
        filled,
        target.length - filled,
        position + filled,
      );
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return filled;
  } finally {
    // A file that was only read has nothing to write back, so closing it is quick.
    fs.closeSync(file);
  }
}
