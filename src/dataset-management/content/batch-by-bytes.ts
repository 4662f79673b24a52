/**
 * Parts a batch of images so that the annotations of each part have at most this many bytes, as JSON; in memory they take
 * several times as many. Those of one image stay together: an image with more comes alone.
 */
export function* batchByBytes(
  ids: readonly string[],
  bytes: ReadonlyMap<string, number>,
  most: number,
): Generator<string[], undefined> {
  let part: string[] = [];
  let sum = 0;
  for (const id of ids) {
    const size = bytes.get(id) ?? 0;
    if (part.length > 0 && sum + size > most) {
      yield part;
      [part, sum] = [[], 0];
    }
    part.push(id);
    sum += size;
  }
  if (part.length > 0) yield part;
  return undefined;
}
