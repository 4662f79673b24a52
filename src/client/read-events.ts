/**
 * The results in a stream of server-sent events by the graphql-sse protocol (distinct connections): the data of each
 * `next`, until `complete`. Throws a TypeError, as fetch does, when the stream ends without `complete`. `heard` is
 * called for everything that arrives, including pings.
 */
export async function* readEvents<Result>(
  body: ReadableStream<Uint8Array>,
  heard: () => void,
): AsyncGenerator<Result, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new TypeError('the stream broke off');
      heard();
      text += decoder.decode(value, { stream: true });
      const blocks = text.split(/\r?\n\r?\n/);
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const fields = block.split(/\r?\n/);
        const of = (name: string): string =>
          fields
            .flatMap((line) =>
              line.startsWith(`${name}:`) ? [line.slice(name.length + 1).replace(/^ /, '')] : [],
            )
            .join('\n');
        if (of('event') === 'complete') return;
        if (of('event') === 'next') yield JSON.parse(of('data')) as Result;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
