import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';

/**
 * Unpacks the template of an embedded database into an empty folder, file by file: PGlite itself would hold all of it in
 * memory, twice.
 */
export async function unpackTemplate(template: string, folder: string): Promise<void> {
  const entries = extract();
  const read = pipeline(createReadStream(template), createGunzip(), entries);
  for await (const entry of entries) {
    const path = join(folder, entry.header.name);
    if (entry.header.type === 'directory') {
      await mkdir(path, { recursive: true, mode: 0o700 });
      entry.resume();
    } else {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await pipeline(entry, createWriteStream(path, { mode: 0o600 }));
    }
  }
  await read;
}
