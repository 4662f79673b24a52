/** Bytes that can be read from any place, such as those of a file: `Blob`, `File`, or what a program brings. */
export interface ArchiveSource {
  /** In bytes. */
  readonly size: number;
  /** The bytes from `start` up to, but not including, `end`, piece by piece. */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
}

/** Bytes are read in pieces of this size, whatever the archive's size. */
const PIECE = 512 * 1024;

/** Reads a blob; of one that lies on a disk, only the pieces in use are in memory. */
export function sourceOf(source: Blob | ArchiveSource): ArchiveSource {
  if (!(source instanceof Blob)) return source;
  return {
    size: source.size,
    async *read(start, end) {
      for (let at = start; at < end; at += PIECE)
        yield new Uint8Array(await source.slice(at, Math.min(at + PIECE, end)).arrayBuffer());
    },
  };
}

/** All of a stretch at once; throws ArchiveError where the source ends before. */
export async function readAll(
  source: ArchiveSource,
  start: number,
  end: number,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(end - start);
  let at = 0;
  for await (const piece of source.read(start, end)) {
    if (at + piece.length > bytes.length) break;
    bytes.set(piece, at);
    at += piece.length;
  }
  if (at < bytes.length) throw new ArchiveError('the archive ends too early');
  return bytes;
}

/** These bytes are no ZIP archive, or one that can't be read. */
export class ArchiveError extends Error {
  override name = 'ArchiveError';
}
