import type { ZipEntry } from './write-zip.ts';

/** Starts reading the next `depth` entries while one is written: many small files then cost no wait each. At most the first piece of each is held. */
export async function* readAhead(entries: AsyncIterable<ZipEntry>, depth: number): AsyncGenerator<ZipEntry> {
  const source = entries[Symbol.asyncIterator]();
  const queue: { entry: ZipEntry; stop: () => Promise<void> }[] = [];
  let ended = false;
  try {
    for (;;) {
      while (!ended && queue.length < depth) {
        const next = await source.next();
        if (next.done) ended = true;
        else queue.push(start(next.value));
      }
      const head = queue.shift();
      if (!head) return;
      yield head.entry;
    }
  } finally {
    await Promise.all(queue.map(({ stop }) => stop()));
    await source.return?.();
  }
}

function start(entry: ZipEntry): { entry: ZipEntry; stop: () => Promise<void> } {
  const pieces = entry.body[Symbol.asyncIterator]();
  const first = pieces.next();
  first.catch(() => undefined);
  const stop = async (): Promise<void> => {
    await first.catch(() => undefined);
    await pieces.return?.();
  };
  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      for (let piece = await first; !piece.done; piece = await pieces.next()) yield piece.value;
    } finally {
      await pieces.return?.();
    }
  }
  return { entry: { ...entry, body: body() }, stop };
}
