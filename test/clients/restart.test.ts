import { join } from 'node:path';
import { gql as apolloGql } from '@apollo/client';
import { gql } from '@urql/core';
import { requestSubscription } from 'relay-runtime';
import { expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { createClient, type TypedDocument } from '../../src/client/create-client.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { folder, endProcesses, GENEROUS, start, stop } from '../support/gateway-process.ts';
import { feed, organisation } from '../support/records.ts';
import { createApollo } from './apollo/create-apollo.ts';
import { findPossibleTypes } from './apollo/find-possible-types.ts';
import { FEED_CHANGED } from './feed-documents.ts';
import { createSocket } from './graphql-ws/create-socket.ts';
import { createEnvironment } from './relay/environment.ts';
import { FeedChanged } from './relay/feed-list.ts';
import { createUrql } from './urql/create-urql.ts';
import { introspectSchema } from './urql/introspect-schema.ts';

endProcesses();

const database = { kind: 'embedded', dataDir: join(folder, 'data') } as const;

/** Works on the database while the gateway is away. */
async function meanwhile<T>(work: (app: TestApp) => Promise<T>): Promise<T> {
  const app = await startApp({ database, now: Date.now() });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

type Note = (result: { data?: any; errors?: unknown; error?: unknown }) => void;

/** Follows changes with each client; `note` gets what comes, `fail` how it ended. */
type Follow = (
  url: string,
  from: { token: string; after: string },
  to: { note: Note; fail: (reason: unknown) => void },
) => void;

const clients: Record<string, Follow> = {
  Relay: (url, { token, after }, { note, fail }) =>
    void requestSubscription(
      createEnvironment(url, () => token),
      {
        subscription: FeedChanged,
        variables: { after },
        onNext: (data) => note({ data }),
        onError: fail,
        onCompleted: () => fail('complete'),
      },
    ),
  urql: (url, { token, after }, { note }) =>
    void createUrql(url, () => token, introspectSchema('schema.graphql'))
      .subscription(gql(FEED_CHANGED), { after })
      .subscribe(note),
  Apollo: (url, { token, after }, { note, fail }) =>
    void createApollo(url, () => token, findPossibleTypes('schema.graphql'))
      .subscribe<any>({ query: apolloGql(FEED_CHANGED), variables: { after } })
      .subscribe({ next: note, error: fail, complete: () => fail('complete') }),
  'graphql-ws': (url, { token, after }, { note, fail }) =>
    void createSocket(url, () => token, { webSocketImpl: WebSocket })(
      { query: FEED_CHANGED, variables: { after } },
      { next: note, error: fail, complete: () => fail('complete') },
    ),
  'trivium/client': (url, { token, after }, { note, fail }) => {
    const document = FEED_CHANGED as TypedDocument<{ feedChanged: any }, { after: string }>;
    const events = createClient({ url, token }).follow(
      document,
      { after },
      ({ feedChanged }) => feedChanged,
    );
    void (async () => {
      for await (const feedChanged of events) note({ data: { feedChanged } });
    })().catch(fail);
  },
};

it(
  'every client comes back after SIGTERM and kill -9, and misses nothing that changed meanwhile',
  async () => {
    const { token, after } = await meanwhile(async (app) => {
      await app.load([
        ...organisation,
        ...Array.from({ length: 8 }, (_, i) => feed(i + 1, { status: 'P' })),
      ]);
      const session = await app.signedIn('ana');
      const { data } = await app.gql('{ viewer { feeds { changeCursor } } }', {}, session);
      return { token: session, after: String(data.viewer.feeds.changeCursor) };
    });
    const touch = (...keys: number[]): Promise<unknown> =>
      meanwhile(({ services }) =>
        services.db.pool.query(
          "UPDATE feed SET status = 'R', version = version + 1 WHERE feed_key = ANY ($1)",
          [keys],
        ),
      );
    let gateway = await start({ DEMO: 'false' });
    const { port } = new URL(gateway.url);
    const seen = new Map<string, Map<number, number>>();
    const faults: unknown[] = [];
    for (const [name, follow] of Object.entries(clients)) {
      const versions = new Map<number, number>();
      seen.set(name, versions);
      const fail = (reason: unknown): void => void faults.push([name, reason]);
      const note: Note = ({ data, errors, error }) => {
        if (errors || error) fail(errors ?? error);
        const changed = data?.feedChanged?.feed;
        // Relay's events have no key.
        if (changed) versions.set(Number(atob(changed.id).split(':')[1]), changed.version);
      };
      follow(`${gateway.url}/graphql`, { token, after }, { note, fail });
    }
    const all = (keys: number[]): boolean =>
      [...seen.values()].every((versions) => keys.every((key) => versions.has(key)));
    const gone: number[] = [];
    for (const [signal, during, live] of [
      ['SIGTERM', [1, 2], 3],
      ['SIGKILL', [4, 5], 6],
    ] as const) {
      await stop(gateway, signal);
      await touch(...during);
      gateway = await start({ DEMO: 'false', PORT: port });
      const back = performance.now();
      gone.push(...during);
      await vi.waitUntil(() => seen.get('trivium/client')?.has(gone.at(-1) ?? 0), {
        timeout: 20_000,
        interval: 20,
      });
      // Within a second, on a machine that has nothing else to do.
      expect(performance.now() - back).toBeLessThan(3_000);
      await vi.waitUntil(() => all(gone), { timeout: 20_000 });
      const answer = await fetch(`${gateway.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-service-csrf-token-x': token },
        body: JSON.stringify({
          query: `mutation { changeFeedStatus(input: { feedId: "${btoa(`Feed:${live}`)}", status: COMPLETED }) { __typename } }`,
        }),
      });
      expect(await answer.text()).toContain('ChangeFeedStatusPayload');
      gone.push(live);
      await vi.waitUntil(() => all(gone), { timeout: 20_000 });
    }
    expect(faults).toEqual([]);
  },
  GENEROUS,
);
