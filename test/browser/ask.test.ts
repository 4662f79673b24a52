import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type * as Ask from '../../src/browser/page/ask.ts';

let page: typeof Ask;
beforeAll(async () => {
  vi.stubGlobal('document', { getElementById: () => null });
  vi.stubGlobal('triviumSession', { headers: () => ({}) });
  page = await import('../../src/browser/page/ask.ts');
});
afterAll(() => vi.unstubAllGlobals());

/** A reply that ends in its middle. */
function broken(): Response {
  const pull = (controller: ReadableStreamDefaultController): void =>
    controller.error(new TypeError('network error'));
  return new Response(new ReadableStream({ pull }));
}

it('tells of a reply that broke off, and of a gateway that does not answer', async () => {
  const { signal } = new AbortController();
  const all = () => [
    page.ask('{ viewer { login } }', {}, signal),
    page.sendForm('/api/Projects/importAnnotations', new FormData(), signal),
    page.fetchFile('http://gateway.example/api/Images/download?imageId=1', signal),
  ];
  for (const [answer, message] of [
    [() => Promise.resolve(broken()), 'The reply of the gateway broke off. Try again.'],
    [() => Promise.reject(new TypeError('failed')), 'The gateway does not answer. Try again.'],
  ] as const) {
    vi.stubGlobal('fetch', answer);
    for (const asked of all())
      await expect(asked).rejects.toMatchObject({ code: 'NO_ANSWER', message });
  }
});
