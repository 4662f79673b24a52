/** Bytes of annotations, as JSON, that are in memory at once; they take several times as many. */
const MOST = 32 * 1024 * 1024;

/** Parts a batch of images so that the annotations of each part have not too many bytes. Those of one image stay together. */
export function* batchByBytes(
  ids: readonly string[],
  bytes: ReadonlyMap<string, number>,
): Generator<string[], undefined> {
  let part: string[] = [];
  let sum = 0;
  for (const id of ids) {
    const size = bytes.get(id) ?? 0;
    if (part.length > 0 && sum + size > MOST) {
      yield part;
      [part, sum] = [[], 0];
    }
    part.push(id);
    sum += size;
  }
  if (part.length > 0) yield part;
  return undefined;
}
