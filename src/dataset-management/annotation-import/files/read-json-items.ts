import { createReadStream } from 'node:fs';
import { JsonScanner, type JsonItem } from './json-scanner.ts';

/** Of one image, annotation or task: it is parsed in one go, while everybody waits. */
const MOST_OF_ITEM = { bytes: 16 * 1024 * 1024, parts: 1_000_000 };
const MARK = Buffer.from('\uFEFF');

/**
 * The values of the outermost level of a JSON file and the elements of the arrays there, those of each piece that is read at
 * once. `onList` is told the members that are arrays. Throws FileFault.
 */
export async function* readJsonItems(
  path: string,
  onList: (member: string) => void = () => undefined,
): AsyncGenerator<JsonItem[]> {
  const scanner = new JsonScanner(MOST_OF_ITEM, onList);
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
