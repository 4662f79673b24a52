import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';

/**
 * Unpacks the template of an embedded database into an empty folder. All of it, 45 MB, is in memory meanwhile, and its
 * thousand small files are written at once: pieces of streams would take three times as long. It blocks only the thread
 * of the database, which has nothing else to do yet.
 */
export async function unpackTemplate(template: string, folder: string): Promise<void> {
  const entries = extract();
  entries.end(gunzipSync(readFileSync(template)));
  for await (const entry of entries) {
    const path = join(folder, entry.header.name);
    const isFolder = entry.header.type === 'directory';
    mkdirSync(isFolder ? path : dirname(path), { recursive: true, mode: 0o700 });
    const pieces: Uint8Array[] = [];
    for await (const piece of entry as AsyncIterable<Uint8Array>) pieces.push(piece);
    if (!isFolder) writeFileSync(path, Buffer.concat(pieces), { mode: 0o600 });
  }
}
