import { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { feed, organisation } from '../../support/records.ts';
import { subscribeSse } from '../../support/streams.ts';

const CHANGED =
  'subscription ($after: ChangeCursor) { feedChanged(after: $after) { ... on FeedUpserted { feed { feedKey } } } }';
const FEEDS = 15;
let app: TestApp;
let ana: string;

beforeAll(async () => {
  app = await startApp();
  await app.load([...organisation, ...Array.from({ length: FEEDS }, (_, i) => feed(i + 1))]);
  ana = await app.signedIn('ana');
});
afterAll(() => app.close());

it('events of several streams that are there at once leave others their turns', async () => {
  const list = '{ viewer { feeds { nodes { id } changeCursor } } }';
  const { nodes, changeCursor: after } = (await app.gql(list, {}, ana)).data.viewer.feeds;
  const pin =
    'mutation ($ids: [ID!]!) { setFeedState(input: { feedIds: $ids, pinned: true }) { __typename } }';
  await app.gql(pin, { ids: nodes.map(({ id }: { id: string }) => id) }, ana);
  let [turn, over] = [0, false];
  const count = (): void => {
    turn++;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  const turns: number[] = [];
  const write = Reflect.get(ServerResponse.prototype, 'write') as () => boolean;
  const spy = vi.spyOn(ServerResponse.prototype, 'write');
  spy.mockImplementation(function (this: ServerResponse, ...args: unknown[]) {
    if (String(args[0]).startsWith('event: next')) {
      turns.push(turn);
      // Takes longer than all events may in one turn.
      for (const begun = performance.now(); performance.now() - begun < 15;);
    }
    return Reflect.apply(write, this, args);
  });
  try {
    const streams = await Promise.all(
      Array.from({ length: 3 }, () => subscribeSse(app, ana, CHANGED, { after })),
    );
    for (const stream of streams) {
      await stream.until((results) => results.length === FEEDS);
      stream.close();
    }
    expect(turns).toHaveLength(3 * FEEDS);
    expect(new Set(turns).size).toBe(turns.length);
  } finally {
    over = true;
    spy.mockRestore();
  }
});
