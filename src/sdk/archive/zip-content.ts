import { ArchiveError, readAll, type ArchiveSource } from './archive-source.ts';
import { textOf, viewOf, type ZipMember } from './zip-directory.ts';

/**
 * The bytes of a file of an archive, unpacked, piece by piece. Throws ArchiveError where its header says something else
 * than the directory, or the bytes can't be unpacked or are not as many as listed.
 */
export async function* readMemberBytes(
  source: ArchiveSource,
  member: ZipMember,
): AsyncGenerator<Uint8Array> {
  const { name, offset, method, packedSize, size } = member;
  if (offset + 30 > source.size) throw new ArchiveError('it lies outside of the archive');
  const head = await readAll(source, offset, offset + 30);
  const view = viewOf(head);
  if (view.getUint32(0, true) !== 0x04034b50) throw new ArchiveError('its header is damaged');
  const nameEnd = offset + 30 + view.getUint16(26, true);
  const start = nameEnd + view.getUint16(28, true);
  const end = start + packedSize;
  if (end > source.size) throw new ArchiveError('the archive ends too early');
  if (textOf(await readAll(source, offset + 30, nameEnd)) !== name)
    throw new ArchiveError('its header has another name than the directory');
  if (member.encrypted) throw new ArchiveError('it has a password of ZIP');
  if (method !== 0 && method !== 8) throw new ArchiveError(`it is packed by method ${method}`);
  let total = 0;
  const packed = source.read(start, end);
  for await (const piece of method === 0 ? packed : inflate(packed)) {
    total += piece.length;
    // Stops what unpacks to more than it says, before it fills a disk.
    if (total > size) throw new ArchiveError('it is longer than listed');
    yield piece;
  }
  if (total < size) throw new ArchiveError('it is shorter than listed');
}

/** Unpacks deflated bytes. Throws ArchiveError where they are damaged. */
async function* inflate(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const stream = new DecompressionStream('deflate-raw');
  const writer = stream.writable.getWriter();
  const write = async (): Promise<void> => {
    for await (const piece of packed) await writer.write(Uint8Array.from(piece));
    await writer.close();
  };
  const writing = write().catch((error: unknown) => writer.abort(error));
  // A failure shows where the stream is read.
  writing.catch(() => undefined);
  const reader = stream.readable.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield new Uint8Array(value);
    }
  } catch (error) {
    throw new ArchiveError('it can not be unpacked', { cause: error });
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
