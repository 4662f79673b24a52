import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOON, startApp, type TestApp } from '../../support/app.ts';
import { interceptRows } from '../../support/intercept-rows.ts';
import { hasServer } from '../../support/migrated.ts';
import { feed, organisation } from '../../support/records.ts';
import { untilSomebodyWaits } from '../../support/until-somebody-waits.ts';

let app: TestApp;
let ana: string;
let eve: string;
const id = (type: string, key: number | string): string =>
  Buffer.from(`${type}:${key}`).toString('base64');

beforeAll(async () => {
  app = await startApp();
  await app.load([
    ...organisation,
    feed(1, { kind: 'PROJECT' }),
    feed(2, { kind: 'TASK', parent_feed_key: 1, priority: 1 }),
    feed(3, { kind: 'TASK', parent_feed_key: 1, owner: 'bob' }),
    feed(4, { kind: 'TASK', parent_feed_key: 1, priority: 2, status: 'C' }),
    feed(5, {
      sugg_start_date: '20261201',
      sugg_end_date: '20261202',
      start_date_time: '2026-11-20T10:00:00.250Z',
    }),
    feed(6, { owner: 'bob' }),
    feed(7, { kind: 'TASK', status: 'E' }),
  ]);
  [ana, eve] = [await app.signedIn('ana'), await app.signedIn('eve')];
});
afterAll(() => app.close());

describe('reading', () => {
  it('F255 node and nodes find what the viewer may see, and null for the rest', async () => {
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Feed { feedKey } } }';
    const ids = [
      id('Feed', 5),
      id('Feed', 6),
      id('Feed', 999),
      id('Feed', '1e1'),
      id('Feed', '99999999999999999999'),
    ];
    expect((await app.gql(query, { ids }, ana)).data.nodes).toEqual([
      { id: ids[0], feedKey: 5 },
      null,
      null,
      null,
      null,
    ]);
    expect((await app.gql(query, { ids: ids.slice(0, 2) }, eve)).data.nodes).toEqual([null, null]);
    expect(
      (await app.gql('{ node(id: "garbage") { id } }', {}, ana)).errors?.[0]?.extensions['code'],
    ).toBeDefined();
    expect(
      (await app.gql(`{ feed(feedKey: 5) { id } other: feed(feedKey: 6) { id } }`, {}, ana)).data,
    ).toEqual({ feed: { id: ids[0] }, other: null });
  });

  it('D-35 a filterId that names no filter matches nothing, an empty one too; null is none', async () => {
    const count = async (filterId: string | null): Promise<number> =>
      (
        await app.gql(
          'query ($filterId: ID) { viewer { feeds(filterId: $filterId) { totalCount } } }',
          { filterId },
          ana,
        )
      ).data.viewer.feeds.totalCount;
    expect(await Promise.all(['', 'none', '\0'].map(count))).toEqual([0, 0, 0]);
    expect(await count(null)).toBeGreaterThan(0);
  });

  it('shows details, the parent, and the visible tasks below with their own pages', async () => {
    const { data, errors } = await app.gql(
      `{ feed(feedKey: 1) { kind version taskCount tasks(first: 1, after: null) { totalCount nodes { feedKey parent { feedKey } } pageInfo { hasNextPage endCursor } } }
         dated: feed(feedKey: 5) { startsAt endsAt suggestedStartDate suggestedEndDate parent { id } } }`,
      {},
      ana,
    );
    expect(errors).toBeUndefined();
    expect(data.feed).toMatchObject({
      kind: 'PROJECT',
      version: 1,
      taskCount: 2,
      tasks: {
        totalCount: 2,
        nodes: [{ feedKey: 2, parent: { feedKey: 1 } }],
        pageInfo: { hasNextPage: true },
      },
    });
    const next = await app.gql(
      'query ($after: Cursor) { feed(feedKey: 1) { tasks(first: 5, after: $after) { nodes { feedKey } pageInfo { hasNextPage hasPreviousPage } } } }',
      { after: data.feed.tasks.pageInfo.endCursor },
      ana,
    );
    expect(next.data.feed.tasks).toEqual({
      nodes: [{ feedKey: 4 }],
      pageInfo: { hasNextPage: false, hasPreviousPage: true },
    });
    expect(data.dated).toEqual({
      startsAt: '2026-11-20T10:00:00.250Z',
      endsAt: null,
      suggestedStartDate: '2026-12-01',
      suggestedEndDate: '2026-12-02',
      parent: null,
    });
  });

  it('reads what fragments, aliases and directives select', async () => {
    const { data, errors } = await app.gql(
      `query ($yes: Boolean!, $no: Boolean!) { viewer { mine: feeds(filter: { feedTitle: "Feed 5" }) { edges { cursor node { ...A ... @include(if: $yes) { title: feedTitle } priority @skip(if: $yes) hasSurvey @include(if: $no) } } } } }
       fragment A on Feed { ...B __typename } fragment B on Feed { key: feedKey ... on Node { id } }`,
      { yes: true, no: false },
      ana,
    );
    expect(errors).toBeUndefined();
    expect(data.viewer.mine.edges[0].node).toEqual({
      key: 5,
      id: id('Feed', 5),
      __typename: 'Feed',
      title: 'Feed 5',
    });
  });

  it('F255 D-06 D-17 refuses page arguments that make no sense, with codes', async () => {
    const code = async (args: string): Promise<unknown> =>
      (await app.gql(`{ viewer { feeds(${args}) { nodes { feedKey } } } }`, {}, ana)).errors?.[0]
        ?.extensions;
    expect(await code('after: "a", before: "b"')).toMatchObject({
      code: 'BAD_USER_INPUT',
      legacyCode: 'E112',
    });
    for (const args of [
      'first: -1',
      'first: 101',
      'last: 101',
      'first: 1, last: 1',
      'first: 1, before: "x"',
      'last: 1, after: "x"',
    ])
      expect(await code(args)).toMatchObject({ code: 'BAD_USER_INPUT', legacyCode: 'E900' });
    expect(await code('after: "garbage"')).toMatchObject({
      code: 'BAD_CURSOR',
      legacyCode: 'E901',
    });
    const empty = await app.gql(
      '{ viewer { feeds(first: 0) { nodes { feedKey } totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }',
      {},
      ana,
    );
    expect(empty.data.viewer.feeds).toEqual({
      nodes: [],
      totalCount: 3,
      pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: null, endCursor: null },
    });
  });

  it('an empty result is an empty connection, not an error', async () => {
    const { data, errors } = await app.gql(
      '{ viewer { feeds(filter: { statuses: [] }) { nodes { feedKey } totalCount } tasks(filter: { feedTitle: "none" }) { totalCount } feedCounts(startDate: "2030-01-01", endDate: "2030-01-01") { total } } }',
      {},
      ana,
    );
    expect(errors).toBeUndefined();
    expect(data.viewer).toEqual({
      feeds: { nodes: [], totalCount: 0 },
      tasks: { totalCount: 0 },
      feedCounts: { total: 0 },
    });
  });
});

describe('D-53 setFeedState', () => {
  const mutation = `mutation ($input: SetFeedStateInput!) { setFeedState(input: $input) { __typename
    ... on SetFeedStatePayload { clientMutationId results { feedId feed { pin favoriteFlag version } error { code entity } } } ... on ValidationError { code problems { path code } } } }`;

  it('sets what is given, leaves the rest, is idempotent, and tells which feeds are not found', async () => {
    const ids = [id('Feed', 5), id('Feed', 6), id('Viewer', 1), 'garbage'];
    const pinned = await app.gql(
      mutation,
      { input: { feedIds: ids, pinned: true, clientMutationId: 'c1' } },
      ana,
    );
    expect(pinned.data.setFeedState).toEqual({
      __typename: 'SetFeedStatePayload',
      clientMutationId: 'c1',
      results: [
        { feedId: ids[0], feed: { pin: true, favoriteFlag: false, version: 1 }, error: null },
        ...ids
          .slice(1)
          .map((feedId) => ({ feedId, feed: null, error: { code: 'NOT_FOUND', entity: 'Feed' } })),
      ],
    });
    const stamp = (): Promise<unknown> => app.services.db.rows('SELECT * FROM feed_user_state', []);
    const before = await stamp();
    app.setTime(NOON + 60_000);
    await app.gql(mutation, { input: { feedIds: ids, pinned: true, favorite: null } }, ana);
    expect(await stamp()).toEqual(before);
    const both = await app.gql(
      mutation,
      { input: { feedIds: ids.slice(0, 1), favorite: true } },
      ana,
    );
    expect(both.data.setFeedState.results[0].feed).toMatchObject({ pin: true, favoriteFlag: true });
  });

  it('answers each id that names no feed, even if all are such, and counts them', async () => {
    const set = async (feedIds: string[]): Promise<unknown> =>
      (await app.gql(mutation, { input: { feedIds, pinned: true } }, ana)).data.setFeedState;
    expect(await set(['garbage', ''])).toMatchObject({
      __typename: 'SetFeedStatePayload',
      results: ['garbage', ''].map((feedId) => ({ feedId, feed: null, error: { entity: 'Feed' } })),
    });
    const most = Array.from({ length: 100 }, (_, index) => id('Feed', index + 1_000));
    expect(await set(most)).toMatchObject({ __typename: 'SetFeedStatePayload' });
    expect(await set([...most, 'garbage'])).toMatchObject({ __typename: 'ValidationError' });
  });

  it('following brings a feed into my view; unfollowing takes it out', async () => {
    await app.load([feed(50, { owner: 'bob', unit: 'Berlin' })]);
    const mine = async (): Promise<number[]> =>
      (
        await app.gql('{ viewer { feeds { nodes { feedKey } } } }', {}, ana)
      ).data.viewer.feeds.nodes.map((node: { feedKey: number }) => node.feedKey);
    expect(await mine()).not.toContain(50);
    await app.gql(mutation, { input: { feedIds: [id('Feed', 50)], follow: true } }, ana);
    expect(await mine()).toContain(50);
    await app.gql(mutation, { input: { feedIds: [id('Feed', 50)], follow: false } }, ana);
    expect(await mine()).not.toContain(50);
  });

  it('refuses no feeds and more than a hundred', async () => {
    for (const feedIds of [[], Array.from({ length: 101 }, () => id('Feed', 5))]) {
      expect(
        (await app.gql(mutation, { input: { feedIds, pinned: true } }, ana)).data.setFeedState,
      ).toMatchObject({
        __typename: 'ValidationError',
        code: 'VALIDATION_ERROR',
        problems: [{ path: ['input', 'feedIds'] }],
      });
    }
  });
});

describe('F171 D-51 changeFeedStatus', () => {
  const change = async (
    feedKey: number,
    status: string,
    more: object = {},
    token = ana,
  ): Promise<any> =>
    (
      await app.gql(
        `mutation ($input: ChangeFeedStatusInput!) { changeFeedStatus(input: $input) { __typename ... on UserError { message code legacyCode } ... on ChangeFeedStatusPayload { feed { status version } }
          ... on InvalidTransitionError { from to } ... on ConflictError { currentVersion } ... on NotFoundError { entity } } }`,
        { input: { feedId: id('Feed', feedKey), status, ...more } },
        token,
      )
    ).data.changeFeedStatus;

  it('walks N → R → P → C, counting the version up; repeating changes nothing', async () => {
    await app.load([feed(60, { kind: 'TASK' })]);
    for (const [status, version] of [
      ['REVIEWED', 2],
      ['REVIEWED', 2],
      ['IN_PROGRESS', 3],
      ['COMPLETED', 4],
    ] as const) {
      expect(await change(60, status)).toEqual({
        __typename: 'ChangeFeedStatusPayload',
        feed: { status, version },
      });
    }
    expect(await change(60, 'IN_PROGRESS')).toMatchObject({
      __typename: 'ForbiddenError',
      code: 'FORBIDDEN',
    });
  });

  it('refuses other transitions, stale versions and feeds that are not visible', async () => {
    await app.load([feed(61, { kind: 'TASK' })]);
    expect(await change(61, 'COMPLETED')).toMatchObject({
      __typename: 'InvalidTransitionError',
      code: 'INVALID_TRANSITION',
      from: 'NEW',
      to: 'COMPLETED',
    });
    expect(await change(61, 'EXPIRED')).toMatchObject({ __typename: 'InvalidTransitionError' });
    expect(await change(61, 'REVIEWED', { expectedVersion: 9 })).toMatchObject({
      __typename: 'ConflictError',
      currentVersion: 1,
    });
    for (const key of [6, 999])
      expect(await change(key, 'REVIEWED')).toEqual({
        __typename: 'NotFoundError',
        message: 'Feed not found',
        code: 'NOT_FOUND',
        legacyCode: 'E404',
        entity: 'Feed',
      });
    expect(await change(61, 'REVIEWED', {}, eve)).toMatchObject({ __typename: 'NotFoundError' });
    expect((await app.gql('{ feed(feedKey: 61) { status version } }', {}, ana)).data.feed).toEqual({
      status: 'NEW',
      version: 1,
    });
  });

  it('of writers with the same expected version one wins', async () => {
    await app.load([feed(62, { kind: 'TASK' })]);
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => change(62, 'REVIEWED', { expectedVersion: 1 })),
    );
    expect(
      outcomes.filter((outcome) => outcome.__typename === 'ChangeFeedStatusPayload'),
    ).toHaveLength(1);
  });

  // The embedded database has one connection: nobody else changes a feed meanwhile.
  it.runIf(hasServer())(
    'changes no feed that goes out of sight while it is waited for',
    async () => {
      await app.load([feed(63, { kind: 'TASK' })]);
      const { db } = app.services;
      const other = await db.pool.connect();
      await other.query(
        'BEGIN; UPDATE feed SET owner_user_id = NULL, version = version + 1 WHERE feed_key = 63',
      );
      const changed = change(63, 'REVIEWED');
      await untilSomebodyWaits(db);
      await other.query('COMMIT');
      other.release();
      expect(await changed).toMatchObject({ __typename: 'NotFoundError' });
      expect(await db.rows('SELECT status FROM feed WHERE feed_key = 63', [])).toEqual([['N']]);
    },
  );
});

it('a session is needed, and identity can not be named', async () => {
  for (const query of [
    '{ viewer { login } }',
    '{ feed(feedKey: 5) { feedKey } }',
    `{ node(id: "${id('Feed', 5)}") { id } }`,
    `mutation { setFeedState(input: { feedIds: ["x"], pinned: true }) { __typename } }`,
  ]) {
    const answer = await app.gql(query);
    expect([answer.status, answer.errors?.[0]?.extensions]).toEqual([
      401,
      { code: 'UNAUTHENTICATED', legacyCode: 'E202' },
    ]);
  }
});

describe('lists in lists', () => {
  const query = `query ($first: Int, $last: Int) { viewer { feeds(first: 30) { nodes { ...below under: tasks(first: 3) { nodes { ...below parent { feedKey } } } } } } }
    fragment below on Feed { feedKey tasks(first: $first, last: $last) { totalCount changeCursor nodes { feedKey feedTitle } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
  const statements = async (work: () => Promise<unknown>): Promise<number> => {
    let count = 0;
    const restore = interceptRows(app.services.db, (rows) => (sql, params, signal) => {
      // What the gateway does beside the request has no signal of one.
      if (signal && /feed_listing|change_log_state/.test(sql)) count++;
      return rows(sql, params, signal);
    });
    await work();
    restore();
    return count;
  };

  it('take as many statements as there are levels, however many rows there are', async () => {
    const ask = (): Promise<unknown> => app.gql(query, { first: 2 }, ana);
    // One less when two levels happen to ask in the same turn.
    const most = 9;
    await ask();
    expect(await statements(ask)).toBeLessThanOrEqual(most);
    const more = Array.from({ length: 20 }, (_, i) => [
      feed(7000 + i, { kind: 'PROJECT' }),
      feed(7100 + i, { kind: 'TASK', parent_feed_key: 7000 + i }),
      feed(7200 + i, { kind: 'TASK', parent_feed_key: 7100 + i }),
    ]).flat();
    await app.load(more);
    expect(await statements(ask)).toBeLessThanOrEqual(most);
  });

  it('hold what each feed asked alone has, forward and backward', async () => {
    for (const size of [{ first: 1 }, { last: 1 }, { first: 10 }]) {
      const { data } = await app.gql(query, size, ana);
      const { nodes } = data.viewer.feeds;
      expect(
        nodes.filter((node: { tasks: { totalCount: number } }) => node.tasks.totalCount > 0).length,
      ).toBeGreaterThan(5);
      for (const { feedKey, tasks } of nodes.slice(0, 12)) {
        const alone = await app.gql(
          'query ($key: SafeInt!, $first: Int, $last: Int) { feed(feedKey: $key) { tasks(first: $first, last: $last) { totalCount nodes { feedKey feedTitle } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }',
          { key: feedKey, ...size },
          ana,
        );
        expect(tasks).toMatchObject(alone.data.feed.tasks);
      }
    }
  });

  it('hold each row once, also where the same feed comes several times', async () => {
    const { data } = await app.gql(
      '{ viewer { tasks(first: 50) { nodes { feedKey parent { feedKey tasks(first: 2) { totalCount nodes { feedKey } pageInfo { hasNextPage } } } } } } }',
      {},
      ana,
    );
    const siblings = data.viewer.tasks.nodes.flatMap(
      ({ parent }: { parent: { feedKey: number } | null }) =>
        parent?.feedKey === 1 ? [parent] : [],
    );
    expect(siblings).toEqual(
      [1, 2].map(() => ({
        feedKey: 1,
        tasks: {
          totalCount: 2,
          nodes: [{ feedKey: 2 }, { feedKey: 4 }],
          pageInfo: { hasNextPage: false },
        },
      })),
    );
    const twice = await app.gql(
      '{ feed(feedKey: 1) { a: tasks(first: 2) { totalCount nodes { feedKey } } b: tasks(first: 2) { totalCount nodes { feedKey } } } }',
      {},
      ana,
    );
    expect(twice.data.feed).toEqual({
      a: twice.data.feed.b,
      b: { totalCount: 2, nodes: [{ feedKey: 2 }, { feedKey: 4 }] },
    });
  });
});

it('Feed.tasks has whatever is below the feed, feedTaskCount counts what is of kind TASK', async () => {
  const below = { owner: 'bob', parent_feed_key: 60 };
  await app.load([
    feed(60, { kind: 'PROJECT', owner: 'bob' }),
    ...['TASK', 'PROJECT', 'MESSAGE', 'WALK'].map((kind, index) =>
      feed(61 + index, { kind, ...below }),
    ),
  ]);
  const { data } = await app.gql(
    '{ feed(feedKey: 60) { feedTaskCount tasks { nodes { kind } } } }',
    {},
    await app.signedIn('bob'),
  );
  expect(data.feed.feedTaskCount).toBe(1);
  expect(data.feed.tasks.nodes.map(({ kind }: { kind: string }) => kind).sort()).toEqual([
    'MESSAGE',
    'PROJECT',
    'TASK',
    'WALK',
  ]);
});
