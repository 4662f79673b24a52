import { createClient, type Client } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { TestApp } from './app.ts';

/** An open subscription and what it has received. */
export interface Stream {
  results: any[];
  /** Resolves when the server or the client has ended it; with what ended it, if that was an error. */
  closed: Promise<unknown>;
  isClosed(): boolean;
  close(): void;
  /** Waits until `enough` holds of the results. */
  until(enough: (results: any[]) => boolean, ms?: number): Promise<any[]>;
}

function makeStream(results: any[], closed: Promise<unknown>, close: () => void): Stream {
  let over = false;
  void closed.then(() => (over = true));
  return {
    results,
    closed,
    close,
    isClosed: () => over,
    async until(enough, ms = 20_000) {
      const end = Date.now() + ms;
      while (!enough(results)) {
        if (Date.now() > end)
          throw new Error(`not within ${ms} ms: ${JSON.stringify(results).slice(0, 2_000)}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return results;
    },
  };
}

/** Subscribes over server-sent events (graphql-sse, distinct connections). Resolves when the reply has begun. */
export function subscribeSse(
  app: Pick<TestApp, 'url'>,
  token: string,
  query: string,
  variables: object = {},
): Promise<Stream> {
  return openSse(`${app.url}/graphql`, token, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
}

/** The same by GET, as EventSource does. */
export function subscribeByGet(
  app: Pick<TestApp, 'url'>,
  token: string,
  query: string,
): Promise<Stream> {
  return openSse(`${app.url}/graphql?query=${encodeURIComponent(query)}`, token, {});
}

async function openSse(
  url: string,
  token: string,
  { headers, ...init }: { method?: string; headers?: object; body?: string },
): Promise<Stream> {
  const controller = new AbortController();
  const response = await fetch(url, {
    ...init,
    headers: { ...headers, accept: 'text/event-stream', 'x-service-csrf-token-x': token },
    signal: controller.signal,
  });
  const results: any[] = [];
  const read = async (): Promise<unknown> => {
    let buffer = '';
    try {
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
        buffer += chunk;
        for (let end = buffer.indexOf('\n\n'); end >= 0; end = buffer.indexOf('\n\n')) {
          const [event, data] = [
            /^event: (.*)$/m.exec(buffer.slice(0, end))?.[1],
            /^data: (.*)$/m.exec(buffer.slice(0, end))?.[1],
          ];
          buffer = buffer.slice(end + 2);
          if (event === 'next') results.push(JSON.parse(data ?? 'null'));
          if (event === 'complete') results.push('complete');
        }
      }
      return undefined;
    } catch (error) {
      return error;
    }
  };
  return makeStream(results, read(), () => controller.abort());
}

/** A graphql-ws client that authenticates by connection_init; `headers` come with the upgrade. */
export function wsClient(
  app: Pick<TestApp, 'url'>,
  connectionParams: Record<string, unknown>,
  headers: Record<string, string> = {},
): Client {
  class Socket extends WebSocket {
    constructor(url: string, protocols: string) {
      super(url, protocols, { headers });
    }
  }
  return createClient({
    url: `${app.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: Socket,
    connectionParams,
    retryAttempts: 0,
    lazy: true,
  });
}

export function subscribeWs(
  client: Client,
  query: string,
  variables: Record<string, unknown> = {},
): Stream {
  const results: any[] = [];
  let dispose = (): void => {};
  const closed = new Promise<unknown>((resolve) => {
    dispose = client.subscribe(
      { query, variables },
      {
        next: (result) => results.push(result),
        error: resolve,
        complete: () => (results.push('complete'), resolve(undefined)),
      },
    );
  });
  return makeStream(results, closed, dispose);
}
