/**
 * What a source gives; the next is read while the caller works on one. A fault of the source is thrown in its place. A
 * caller that leaves early does not wait for what is being read: who opened the source closes it.
 */
export async function* oneAhead<T>(source: AsyncIterable<T>): AsyncGenerator<T, void> {
  const items = source[Symbol.asyncIterator]();
  const read = (): Promise<IteratorResult<T, unknown>> => {
    const next = items.next();
    next.catch(() => undefined); // it is thrown where it is waited for
    return next;
  };
  try {
    for (let next = read(); ;) {
      const item = await next;
      if (item.done) return;
      next = read();
      yield item.value;
    }
  } finally {
    items.return?.().catch(() => undefined);
  }
}
