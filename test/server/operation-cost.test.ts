import fc from 'fast-check';
import {
  getNamedType,
  getNullableType,
  getOperationAST,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
  parse,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { costOfField } from '../../src/core/graphql/field-cost.ts';
import { limits } from '../../src/server/graphql/limits/limits.ts';
import { operationCost } from '../../src/server/graphql/limits/operation-cost.ts';
import { schema } from '../../src/server/graphql/schema/schema.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { fuzzRuns } from '../support/fuzz-world.ts';
import { interceptRows } from '../support/intercept-rows.ts';
import { feed, organisation } from '../support/records.ts';

/** What a document costs. */
function costOf(query: string, variables: object = {}): number {
  const document = parse(query);
  const operation = getOperationAST(document);
  if (!operation) throw new Error('no operation');
  return operationCost(schema, document, operation, { ...variables });
}

const ids = (count: number): string[] => Array.from({ length: count }, (_, i) => `Feed${i}`);
const days = (count: number): string[] =>
  Array.from({ length: count }, (_, i) =>
    new Date(Date.UTC(2026, 0, 1 + 2 * i)).toISOString().slice(0, 10),
  );

describe('what a list is worth', () => {
  it('every list of objects is the rows of a page, or says how long it is', () => {
    const unsaid = Object.values(schema.getTypeMap()).flatMap((type) =>
      (isObjectType(type) || isInterfaceType(type)) && !type.name.startsWith('__')
        ? Object.values(type.getFields()).flatMap((field) => {
            const { rows, rowsOf } = costOfField(field);
            const isPage =
              /^(edges|nodes)$/.test(field.name) && /(Connection|Batch)$/.test(type.name);
            return isListType(getNullableType(field.type)) &&
              !isLeafType(getNamedType(field.type)) &&
              !isPage &&
              rows === undefined &&
              rowsOf === undefined
              ? [`${type.name}.${field.name}`]
              : [];
          })
        : [],
    );
    expect(unsaid).toEqual([]);
  });

  it.each([
    ['{ viewer { feedChanges { edges { node { __typename } } } } }', 1 + 1 + 150 + 100 * 2],
    [
      '{ viewer { leadershipCalendar(type: ANNUAL, month: 1, year: 2026) { projects { feed { id } } } } }',
      1 + 1 + 100 + 1_000 * 2,
    ],
    [
      `mutation ($ids: [ID!]! = ${JSON.stringify(ids(50))}) { setFeedState(input: { feedIds: $ids, pinned: true }) { ... on SetFeedStatePayload { results { feed { id } } } } }`,
      1 + 12 + 50 * 2,
    ],
    ['{ feed(feedKey: 1) { tasks { nodes { id } } } }', 1 + 1 + 20],
    ['{ viewer { feeds(first: 0) { totalCount } } }', 1 + 1 + 20],
    [
      '{ viewer { feeds(first: 2) { nodes { tasks(first: 3) { totalCount nodes { id } } } } } }',
      1 + 1 + 2 * (1 + 1 + 3 + 2),
    ],
  ])('%s', (query, cost) => {
    expect(costOf(query)).toBe(cost);
  });

  it('long lists in filters count, and many of them are refused', () => {
    const query = (aliases: number): string =>
      `query ($days: [LocalDate!]) { viewer { ${Array.from({ length: aliases }, (_, i) => `a${i}: feeds(first: 1, filter: { selectedDates: $days }) { totalCount }`).join(' ')} } }`;
    expect(costOf(query(1), { days: days(1_000) })).toBe(1 + 1 + 20 + 1_000 + 20);
    expect(costOf(query(5), { days: days(1_000) })).toBeGreaterThan(limits.cost);
  });
});

describe('the cost of an operation', () => {
  const list = fc.nat(40);
  const size = fc.nat(100);

  it('is the same for a literal, a variable and the default of a variable', () => {
    fc.assert(
      fc.property(list, size, list, (count, first, dates) => {
        const [a, b, c] = [JSON.stringify(ids(count)), first, JSON.stringify(days(dates))];
        const body = (x: string, y: string, z: string): string =>
          `{ nodes(ids: ${x}) { ... on Feed { tasks(first: ${y}) { nodes { id } } } } viewer { feeds(first: ${y}, filter: { selectedDates: ${z} }) { totalCount nodes { id } } } }`;
        const literal = costOf(body(a, String(b), c));
        const types = ['$x: [ID!]!', '$y: Int', '$z: [LocalDate!]'];
        const variables = { x: ids(count), y: first, z: days(dates) };
        const named = body('$x', '$y', '$z');
        expect(costOf(`query (${types.join(' ')}) ${named}`, variables)).toBe(literal);
        const defaults = [a, b, c].map(
          (value, i) => `${types[i]?.replace('!]!', '!]')} = ${value}`,
        );
        expect(costOf(`query (${defaults.join(' ')}) ${named}`)).toBe(literal);
        expect(
          costOf(`query (${defaults.join(' ')}) ${named}`, { x: [], y: 0, z: [] }),
        ).toBeLessThanOrEqual(literal);
      }),
      fuzzRuns(60),
    );
  });

  it('never falls when a list argument or a page grows', () => {
    fc.assert(
      fc.property(list, list, size, size, (count, more, first, larger) => {
        const cost = (n: number, page: number): number =>
          costOf(
            'query ($ids: [ID!]!, $page: Int, $tags: [String!]) { nodes(ids: $ids) { id ... on Feed { tasks(first: $page) { nodes { id } } } } viewer { feeds(first: $page, filter: { tags: $tags }) { nodes { id } } } }',
            { ids: ids(n), page, tags: ids(n) },
          );
        expect(cost(count + more, Math.max(first, larger))).toBeGreaterThanOrEqual(
          cost(count, Math.min(first, larger)),
        );
      }),
      fuzzRuns(60),
    );
  });

  it('is over the limit for 900 default ids with a page each', () => {
    expect(
      costOf(
        `query ($ids: [ID!]! = ${JSON.stringify(ids(900))}) { nodes(ids: $ids) { ... on Workspace { datasets(first: 100) { nodes { images(first: 20) { nodes { id } } } } } } }`,
      ),
    ).toBeGreaterThan(limits.cost);
  });
});

describe('what is read', () => {
  let app: TestApp;
  let ana: string;
  beforeAll(async () => {
    app = await startApp();
    await app.load([
      ...organisation,
      ...Array.from({ length: 60 }, (_, i) => feed(i + 1)),
      ...Array.from({ length: 60 }, (_, i) => feed(1_000 + i, { parent_feed_key: 1 + (i % 6) })),
    ]);
    ana = await app.signedIn('ana');
  });
  afterAll(() => app.close());

  /** Fields of a viewer, of feeds and of what is below, with pages of any size. */
  const fields = fc.letrec<{ viewer: string; feeds: string; feed: string }>((tie) => ({
    viewer: fc
      .array(
        fc.oneof(
          tie('feeds').map((below) => `feeds${below}`),
          tie('feeds').map((below) => `tasks${below}`),
          fc.constantFrom(
            'feedChanges(first: 30) { edges { node { __typename ... on FeedUpserted { feed { id } } } } }',
            'feedCounts(startDate: "2026-01-01", endDate: "2027-01-01") { total }',
            'calendar(source: STORE_PROJECTS, from: "2026-01-01", to: "2027-01-01") { ... on CalendarProjects { projects { feed { id } } } }',
            'leadershipCalendar(type: ANNUAL, month: 1, year: 2026) { projects { feed { id } } }',
          ),
        ),
        { minLength: 1, maxLength: 5 },
      )
      .map((all) => all.map((one, i) => `a${i}: ${one}`).join(' ')),
    feeds: fc
      .tuple(fc.nat(60), tie('feed'), fc.boolean())
      .map(
        ([first, below, counted]) =>
          `(first: ${first}) { ${counted ? 'totalCount' : ''} nodes { feedKey ${below} } }`,
      ),
    feed: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom('', 'parent { id }'),
      tie('feeds').map((below) => `tasks${below}`),
    ),
  }));

  it('a document reads at most four rows, and two statements, for each object that it is charged', async () => {
    let [rows, statements, feedReads] = [0, 0, 0];
    const stop = interceptRows(app.services.db, (run) => async (...args) => {
      statements++;
      // Not the jobs of the gateway, which run beside.
      if (/\bFROM feed f\b/.test(args[0])) feedReads++;
      const result = await run(...args);
      rows += result.length;
      return result;
    });
    let [ran, readFeeds] = [0, 0];
    try {
      await fc.assert(
        fc.asyncProperty(fields.viewer, async (selection) => {
          [rows, statements, feedReads] = [0, 0, 0];
          const { data, extensions, errors } = await app.gql(
            `{ viewer { ${selection} } }`,
            {},
            ana,
          );
          const { requested } = extensions?.['cost'] ?? {};
          if (requested > limits.cost) {
            expect([feedReads, data]).toEqual([0, undefined]);
            return;
          }
          expect(errors).toBeUndefined();
          ran++;
          if (feedReads > 0) readFeeds++;
          expect(rows, selection).toBeLessThanOrEqual(4 * requested + 20);
          expect(statements, selection).toBeLessThanOrEqual(2 * requested + 10);
        }),
        fuzzRuns(60),
      );
    } finally {
      stop();
    }
    expect(ran).toBeGreaterThan(20);
    expect(readFeeds).toBeGreaterThan(5);
  });

  it('a filter has at most the days of three years in a list, over REST too', async () => {
    const many = Array.from({ length: 1_097 }, (_, i) => i);
    const list = await app.rest(`/task/v1/feeds/list?priority=${many.join(',')}`, ana);
    expect([list.status, list.json['errorCode']]).toEqual([400, 'E900']);
    const again = await app.rest(
      `/task/v1/feeds/list?priority=${many.map((i) => i % 5).join(',')}`,
      ana,
    );
    expect(again.status).toBe(200);
  });

  it('many days, next to each other or not, find what each of them finds', async () => {
    const query =
      'query ($days: [LocalDate!]) { viewer { feeds(first: 100, filter: { selectedDates: $days }) { nodes { feedKey } } } }';
    const found = async (chosen: string[]): Promise<number[]> =>
      (await app.gql(query, { days: chosen }, ana)).data.viewer.feeds.nodes.map(
        (one: { feedKey: number }) => one.feedKey,
      );
    const chosen = [
      '2026-11-19',
      '2026-11-20',
      '2026-11-21',
      '2026-12-24',
      '0001-01-01',
      '9999-12-31',
    ];
    const each = await Promise.all(chosen.map((day) => found([day])));
    expect((await found(chosen)).sort()).toEqual([...new Set(each.flat())].sort());
  });

  it('many tags find what each of them finds, and what no text can be finds nothing', async () => {
    await app.load([
      feed(501, { tags: ['Easter'] }),
      feed(502, { tags: ['winter', 'easter'] }),
      feed(503, { tags: ['other'] }),
    ]);
    const found = async (tags: string[]): Promise<number[]> =>
      (
        await app.gql(
          'query ($tags: [String!]) { viewer { feeds(first: 100, filter: { tags: $tags }) { totalCount nodes { feedKey } } } }',
          { tags },
          ana,
        )
      ).data.viewer.feeds.nodes.map((one: { feedKey: number }) => one.feedKey);
    const many = Array.from({ length: 90 }, (_, i) => `tag ${i}`);
    expect((await found([...many, 'EASTER', '\0'])).sort()).toEqual([501, 502]);
    expect((await found(['EASTER', '\0'])).sort()).toEqual([501, 502]);
    expect(await found(many)).toEqual([]);
  });
});
