import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** A client of a stream that gives what `write` is called with, and ends as `fetch` ends it. */
function streaming() {
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => void (stream = controller),
  });
  const fetch: typeof globalThis.fetch = (_, init) => {
    const signal = init?.signal;
    signal?.addEventListener('abort', () => stream?.error(signal.reason));
    return Promise.resolve(
      new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    );
  };
  const events = createClient({ url: 'http://gateway.example/graphql', fetch }).subscribe<
    { number: number },
    object
  >('subscription { number }', {});
  const write = (number: number): void =>
    stream?.enqueue(
      new TextEncoder().encode(`event: next\ndata: ${JSON.stringify({ data: { number } })}\n\n`),
    );
  return { events, write };
}

it('a stream does not count as silent while the caller works on an event', async () => {
  const { events, write } = streaming();
  write(1);
  expect(await events.next()).toEqual({ done: false, value: { number: 1 } });
  vi.advanceTimersByTime(100_000);
  write(2);
  expect(await events.next()).toEqual({ done: false, value: { number: 2 } });
  const silent = expect(events.next()).rejects.toThrow('silent for 40000 ms');
  await vi.advanceTimersByTimeAsync(40_000);
  await silent;
});
