import { createReadStream, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';

/**
 * Unpacks the template of an embedded database into an empty folder, file by file: PGlite itself would hold all of it in
 * memory, twice. Each of the thousand small files is written at once, which takes half the time of a stream; it blocks
 * only the thread of the database, which has nothing else to do yet.
 */
export async function unpackTemplate(template: string, folder: string): Promise<void> {
  const entries = extract();
  const read = pipeline(createReadStream(template), createGunzip(), entries);
  for await (const entry of entries) {
    const path = join(folder, entry.header.name);
    const isFolder = entry.header.type === 'directory';
    mkdirSync(isFolder ? path : dirname(path), { recursive: true, mode: 0o700 });
    if (isFolder) entry.resume();
    else writeFileSync(path, await buffer(entry), { mode: 0o600 });
  }
  await read;
}
