import { createReadStream } from 'node:fs';
import { JsonScanner, type JsonItem } from './json-scanner.ts';

/** Bytes of one image, annotation or task. */
const MOST_OF_ITEM = 64 * 1024 * 1024;
const MARK = Buffer.from('\uFEFF');

/**
 * The values of the outermost level of a JSON file and the elements of the arrays there, those of each piece that is read at
 * once. Names of members that are arrays are added to `lists`. Throws FileFault.
 */
export async function* readJsonItems(
  path: string,
  lists = new Set<string>(),
): AsyncGenerator<JsonItem[]> {
  const scanner = new JsonScanner(MOST_OF_ITEM, lists);
  let first = true;
  for await (const piece of createReadStream(path)) {
    const chunk: Buffer = Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece));
    // A byte order mark is a blank to the scanner, so that offsets stay those of the file.
    if (first && chunk.subarray(0, MARK.length).equals(MARK)) chunk.fill(0x20, 0, MARK.length);
    first = false;
    const items = scanner.push(chunk);
    if (items.length > 0) yield items;
  }
  scanner.end();
}
