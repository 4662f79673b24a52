import { PGlite } from '@electric-sql/pglite';
import fc from 'fast-check';
import { getNamedType, isLeafType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptedTypes } from '../../src/server/http/accepted-types.ts';
import { schema } from '../../src/server/graphql/schema/schema.ts';
import { feedFieldNames } from '../../src/task-execution/feeds/fields/feed-fields.ts';
import { freshDatabase, startApp, type TestApp } from '../support/app.ts';
import { interceptRows } from '../support/intercept-rows.ts';
import { feed, organisation } from '../support/records.ts';

// Two gateways on the same data, one with the fast lane and one without, answer every request with the same bytes.

let fast: TestApp;
let plain: TestApp;
let ana: string;

const odd = {
  '10': 1,
  a: '\u{1F600} "quoted" \\ \u2028',
  '9': [1.5, 1e21, -0, 1e-7, 999_999_999_999_999, Number.MAX_SAFE_INTEGER],
  b: { '1a': null, '': '5', c: '7 up' },
};
const records = [
  ...organisation,
  feed(1, {
    kind: 'PROJECT',
    unit: 'Berlin',
    dept: 'Bakery',
    feed_title: 'Zähl\t"alles" \\ \u0001\u007f\u2028 \u{1F600} مرحبا',
    panel_config: odd,
    transaction_key: Number.MAX_SAFE_INTEGER,
    show_why_url: 'https://example.com/?a=1&b="2"',
    user_states: [{ user: 'ana', pin: 1 }],
  }),
  feed(2, {
    kind: 'TASK',
    parent_feed_key: 1,
    priority: 1,
    status: 'P',
    start_date_time: '2026-11-19T00:00:00.123Z',
    end_date_time: '2026-11-30T00:00:00Z',
  }),
  feed(3, { kind: 'TASK', parent_feed_key: 1, priority: 2 }),
  ...Array.from({ length: 25 }, (_, i) =>
    feed(10 + i, {
      priority: (i % 3) + 1,
      start_date_time: new Date(Date.UTC(2026, 10, 1 + i, i, i)).toISOString(),
      end_date_time: new Date(Date.UTC(2026, 10, 10 + i, 23 - (i % 24))).toISOString(),
    }),
  ),
];

/** Instants that have no ordinary text, and a number beyond what JavaScript holds exactly. */
const oddities = `
  UPDATE feed SET start_at = '0044-03-15 12:00:00+00 BC' WHERE feed_key = 10;
  UPDATE feed SET start_at = '12026-01-01 00:00:00+00' WHERE feed_key = 11;
  UPDATE feed SET start_at = '2026-01-01 00:00:00.9996+00', end_at = '2026-03-29 00:59:59.999+00' WHERE feed_key = 12;
  UPDATE feed SET launch_at = '1893-03-31 23:06:32+00', created_at = '0001-01-03 00:00:00+00' WHERE feed_key = 13;
  UPDATE feed SET transaction_key = -9007199254740991, priority = NULL WHERE feed_key = 14;`;

beforeAll(async () => {
  const database = await freshDatabase();
  fast = await startApp({ database, fastLane: true });
  await fast.load(records);
  await fast.services.db.pool.query(oddities);
  ana = await fast.signedIn('ana');
  // The embedded database serves one gateway: the other has a copy.
  plain = await startApp({
    fastLane: false,
    database:
      database.kind === 'memory'
        ? {
            kind: 'memory',
            pglite: await PGlite.create({ loadDataDir: await database.pglite.dumpDataDir('none') }),
          }
        : database,
  });
});
afterAll(async () => {
  await fast.close();
  await plain.close();
});

interface Seen {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** Headers of one answer only, and those that Yoga's own adapter leaves out. */
const own = [
  'date',
  'x-request-id',
  'transfer-encoding',
  'content-length',
  'server-timing',
  'cache-control',
  'keep-alive',
  'x-interface-version',
];

async function ask(app: TestApp, path: string, init?: RequestInit): Promise<Seen> {
  const { status, headers, text } = await app.rest(path, ana, init);
  return {
    status,
    headers: Object.fromEntries([...headers].filter(([name]) => !own.includes(name))),
    text,
  };
}

/** Asks the plain gateway once and the fast one three times: the second time a query of GraphQL runs compiled, the third time without Yoga's pipeline. */
async function sameFrom(path: string, init?: RequestInit): Promise<string> {
  const wanted = await ask(plain, path, init);
  for (let time = 1; time <= 3; time++)
    expect(await ask(fast, path, init), `${path}, time ${time}`).toEqual(wanted);
  return wanted.text;
}

const graphql = (body: object, accept = 'application/json'): Promise<string> =>
  sameFrom('/graphql', {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', accept },
  });

const list = (query: string): string => `/task/v1/feeds/list?${query}`;

describe('REST answers are the same bytes', () => {
  it.each([
    ['of the default fields', list('limit=50')],
    ['of all fields', list(`limit=50&projections=${feedFieldNames.join()}`)],
    ['of one field', list('projections=feed_key')],
    ['of fields in another order', list('projections=status,feed_title,pin,feed_key')],
    ['of a field that is no field', list('projections=feed_key,no_such_field')],
    ['of a page by priority', list('limit=3&sort_by=priority,endDateTime&sort_order=A,D')],
    ['of a filtered list', list('status=O,P&limit=5')],
    ['of a list with nothing in it', list('feed_title=nothing+has+this+title')],
    ['of a refused cursor', list('starting_after=garbage')],
    ['of tasks', '/task/v1/feeds/list/tasks?limit=5'],
    ['of counts', '/task/v1/feeds/count?start_date=20261101&end_date=20261130'],
    ['of a calendar', '/task/v1/calendar?source_id=CALENDAR&from_date=20261101&to_date=20261130'],
    ['of an unknown mode', '/task/v1/feeds/no-such-mode'],
  ])('%s', async (_, path) => {
    expect(await sameFrom(path)).not.toBe('');
  });

  it('page by page, with the same cursors', async () => {
    let [cursor, rows]: [string | null, number] = [null, 0];
    do {
      const query = `limit=4&projections=feed_key,feed_title,end_date_time${cursor ? `&starting_after=${cursor}` : ''}`;
      const page = JSON.parse(await sameFrom(list(query))) as {
        feed_details: object[];
        next_cursor: string | null;
      };
      rows += page.feed_details.length;
      cursor = page.next_cursor;
    } while (cursor);
    expect(rows).toBe(26);
  });

  it('of changes', async () => {
    const path = '/task/v1/feeds/list-latest?from_time=0';
    const [a, b] = [await ask(fast, path), await ask(plain, path)];
    expect(a.text).toContain('"feed_list_latest":[{"feed_key":');
    expect(a.text).toBe(b.text);
  });
});

const feedType = schema.getType('Feed');
const leaves = isObjectType(feedType)
  ? Object.values(feedType.getFields()).flatMap(({ name, type }) =>
      isLeafType(getNamedType(type)) ? [name] : [],
    )
  : [];
const all = leaves.join(' ');

const queries: [string, string, object?][] = [
  ['all fields as nodes', `{ viewer { feeds(first: 50) { nodes { ${all} } } } }`],
  ['all fields as edges', `{ viewer { feeds(first: 50) { edges { cursor node { ${all} } } } } }`],
  [
    'aliases and __typename',
    '{ __typename me: viewer { __typename a: feeds(first: 2) { b: nodes { c: feedKey d: feedKey e: id __typename } f: edges { g: cursor h: node { __typename } __typename } } } }',
  ],
  [
    'the rest of a page',
    '{ viewer { feeds(first: 3, orderBy: [{ field: PRIORITY, direction: DESC }]) { totalCount lastFetchTime nodes { feedKey priority } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }',
  ],
  [
    'fragments',
    '{ viewer { feeds(first: 4) { ...P nodes { ... on Feed { status } ... { kind } } } } } fragment P on FeedConnection { nodes { feedKey ...F } } fragment F on Feed { feedTitle panelConfig }',
  ],
  [
    'a field that is selected twice',
    '{ viewer { feeds(first: 2) { nodes { feedKey } nodes { feedTitle feedKey } } } }',
  ],
  [
    'two lists in one answer',
    '{ viewer { a: feeds(first: 1) { nodes { feedKey } } b: tasks(first: 5) { edges { node { feedKey } } } } }',
  ],
  [
    'lists within lists',
    '{ viewer { feeds(first: 50) { nodes { feedKey parent { feedKey feedTitle } tasks(first: 2) { totalCount nodes { feedKey startDateTime transactionKey parent { feedKey } } } } } } }',
  ],
  [
    'a list behind a list that is pre-serialised',
    '{ viewer { a: feeds(first: 2) { nodes { feedKey feedTitle } } b: feeds(first: 2) { nodes { feedKey tasks { nodes { feedKey } } } } } }',
  ],
  [
    'an empty list',
    '{ viewer { feeds(filter: { feedTitle: "nothing has this title" }) { nodes { feedKey } edges { cursor } } } }',
  ],
  [
    '@include and @skip',
    'query ($yes: Boolean!) { viewer { feeds(first: 2) { nodes { feedKey @include(if: $yes) feedTitle @skip(if: $yes) status } } } }',
    { yes: true },
  ],
  [
    'interfaces',
    '{ a: node(id: "RmVlZDox") { id __typename ... on Feed { feedTitle pin pinned } } b: node(id: "RmVlZDo5OTk5") { id } }',
  ],
  [
    'unions',
    '{ viewer { calendar(source: CALENDAR, from: "2026-11-01", to: "2026-11-30") { __typename ... on CalendarFeeds { feeds { feedKey feedTitle } } ... on CalendarRange { layout } } } }',
  ],
  ['one feed', `{ feed(feedKey: 1) { ${all} } }`],
  [
    'counts',
    '{ viewer { feedCounts(startDate: "2026-11-01", endDate: "2026-11-30") { total priorities { priority priorityDesc count } } } }',
  ],
  [
    'variables and defaults',
    'query ($first: Int = 2, $filter: FeedFilter) { viewer { feeds(first: $first, filter: $filter) { nodes { feedKey } } } }',
    { filter: { statuses: ['OVERDUE'] } },
  ],
  [
    'a refused variable',
    'query ($first: Int!) { viewer { feeds(first: $first) { nodes { feedKey } } } }',
    { first: 'x' },
  ],
  ['a refused argument', '{ viewer { feeds(first: 101) { nodes { feedKey } } } }'],
  ['an error beside data', '{ viewer { login feeds(after: "garbage") { nodes { feedKey } } } }'],
  ['an unknown field', '{ viewer { noSuchField } }'],
  ['a syntax error', '{ viewer { '],
  ['introspection', '{ __schema { queryType { name } } __type(name: "Feed") { fields { name } } }'],
];

describe('GraphQL answers are the same bytes', () => {
  it.each(queries)('%s', async (_, query, variables) => {
    await graphql({ query, variables });
    await graphql({ query, variables }, 'application/graphql-response+json');
  });

  it('whatever the client accepts', { timeout: 60_000 }, async () => {
    const types = ['*/*', 'application/*', '*/json', 'text/*', 'application/json', 'text/html'];
    const range = fc.tuple(
      fc.constantFrom(
        ...types,
        'application/graphql-response+json',
        'application/graphql+json',
        'text/event-stream',
        'multipart/mixed',
        'APPLICATION/JSON',
        'x',
      ),
      fc.constantFrom('', ';q=0.5', '; charset=utf-8', ';charset=latin1', ';a=b;charset=UTF-8'),
    );
    const asked = fc.constantFrom(
      '{ viewer { login feeds(first: 2) { nodes { feedKey } } } }',
      '{ viewer { feeds(after: "garbage") { nodes { feedKey } } } }',
      '{ viewer { noSuchField } }',
      'subscription { feedChanged(after: "garbage") { __typename } }',
      'subscription { feedChanged { noSuchField } }',
    );
    const ranges = fc.array(range, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(ranges, asked, fc.constantFrom(',', ', '), async (parts, query, comma) => {
        const accept = parts.map((part) => part.join('')).join(comma);
        const { result, events, parts: inParts } = acceptedTypes(accept);
        // Yoga prefers parts to an event for a query, and has none of it for a subscription.
        fc.pre(result !== undefined || !events || !inParts);
        await graphql({ query }, accept);
      }),
      { numRuns: 150 },
    );
  });

  it('of the operation that is named', async () => {
    const query = 'query A { viewer { login } } query B { viewer { displayName } }';
    for (const operationName of ['A', 'B', 'C']) await graphql({ query, operationName });
  });

  it('of a query that came before, whatever comes with it', async () => {
    const query = `query Page($first: Int, $filter: FeedFilter) { viewer { feeds(first: $first, filter: $filter) { nodes { feedKey } } } }
      query Counted { viewer { feeds { totalCount nodes { tasks { nodes { tasks { nodes { tasks { nodes { feedKey } } } } } } } } } }
      mutation Pin { setFeedState(input: { feedIds: ["RmVlZDox"], pinned: true }) { ... on SetFeedStatePayload { results { feed { pinned } } } } }`;
    const known = { query, operationName: 'Page' };
    expect(await graphql({ ...known, variables: { first: 2 } })).toContain('"feedKey":');
    const unusual = [
      { ...known, variables: { first: 3, filter: { statuses: ['OVERDUE'] } } },
      { ...known, variables: null },
      { ...known, variables: { first: 'x' } },
      { ...known, variables: { filter: [] } },
      { ...known, variables: { filter: { statuses: Array.from({ length: 1_001 }, () => 'NEW') } } },
      { ...known, variables: [] },
      { ...known, variables: { first: 2 }, extensions: {} },
      { ...known, variables: { first: 2 }, extensions: null },
      { ...known, extensions: { clientLibrary: { name: '@apollo/client', version: '4.0.0' } } },
      { ...known, extensions: [] },
      { ...known, extensions: 'x' },
      { ...known, documentId: 'sha256:0' },
      { ...known, query: undefined, extensions: { persistedQuery: { sha256Hash: '0' } } },
      { ...known, variables: { first: 2 }, unknown: 1 },
      { query },
      { query, operationName: 1 },
      { query, operationName: 'None' },
      { query, operationName: 'Counted' },
      { query, operationName: 'Pin' },
    ];
    for (const body of unusual) await graphql(body);
  });

  it('of who signs out, or is nobody', async () => {
    const body = JSON.stringify({
      query: '{ viewer { login feeds(first: 1) { nodes { feedKey } } } }',
    });
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
    await sameFrom('/graphql', init);
    const bo = await fast.signedIn('ana');
    const asBo = (): Promise<string> => fast.rest('/graphql', bo, init).then(({ text }) => text);
    expect(await asBo()).toContain('"login":"ana"');
    await fast.gql('mutation { signOut { __typename } }', {}, bo);
    const nobody = await plain.rest('/graphql', undefined, init);
    expect(await asBo()).toBe(nobody.text);
  });

  const mark = `mutation Mark($input: SetFeedStateInput!) {
    setFeedState(input: $input) { ... on SetFeedStatePayload { results { feed { feedTitle pinned } error { code } } } ... on UserError { code message } } }`;
  const move = `mutation Move($input: ChangeFeedStatusInput!, $also: Boolean = false) {
    changeFeedStatus(input: $input) { __typename ... on ChangeFeedStatusPayload { feed { status } } ... on UserError { code message } }
    again: changeFeedStatus(input: $input) @include(if: $also) { __typename } }
    query Who { viewer { login } }`;
  const [one, none] = ['RmVlZDox', 'RmVlZDo5OTk5'];
  it.each([
    ['done', mark, { input: { feedIds: [one], pinned: true } }, '"pinned":true'],
    ['of what is not there', mark, { input: { feedIds: [none, 'x'], pinned: true } }, 'NOT_FOUND'],
    ['refused', mark, { input: { feedIds: [], pinned: true } }, 'VALIDATION_ERROR'],
    ['with a list for an object', mark, { input: [] }, '"errors"'],
    ['with a variable of another type', mark, { input: { feedIds: 1, pinned: 'x' } }, '"errors"'],
    ['without its variable', mark, {}, '"errors"'],
    ['to the same status', move, { input: { feedId: one, status: 'NEW' } }, '"NEW"'],
    ['twice', move, { input: { feedId: one, status: 'NEW' }, also: true }, '"again"'],
    ['with no such move', move, { input: { feedId: one, status: 'COMPLETED' } }, 'TRANSITION'],
    [
      'that asks for too much',
      `mutation { setFeedState(input: { feedIds: ["${one}", "${none}", "x"], pinned: true }) { ... on SetFeedStatePayload { results { feed { tasks { nodes { tasks { nodes { tasks { nodes { feedKey } } } } } } } } } } }`,
      undefined,
      'COST_LIMIT_EXCEEDED',
    ],
    [
      'that may not be done',
      'mutation { createUser(input: { login: "x" }) { __typename ... on UserError { code } } }',
      undefined,
      'FORBIDDEN',
    ],
  ])('of a mutation %s', async (_, query, variables, wanted) => {
    const operationName = /^mutation (\w+)/.exec(query)?.[1];
    for (const accept of ['application/json', 'application/graphql-response+json'])
      expect(await graphql({ query, variables, operationName }, accept)).toContain(wanted);
    if (query === move) await graphql({ query, variables, operationName: 'Who' });
  });

  it('of a mutation of nobody, and of who has signed out', async () => {
    const body = JSON.stringify({
      query: mark,
      variables: { input: { feedIds: [one], pinned: true } },
    });
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
    await sameFrom('/graphql', init);
    const gone = await fast.signedIn('ana');
    await fast.gql('mutation { signOut { __typename } }', {}, gone);
    const nobody = await plain.rest('/graphql', undefined, init);
    for (const token of [gone, undefined])
      expect(await fast.rest('/graphql', token, init)).toMatchObject({
        status: nobody.status,
        text: nobody.text,
      });
  });

  it('of a request that is no document', async () => {
    const headers = { 'content-type': 'application/json' };
    // How the two transports describe broken JSON differs by a few words.
    for (const body of ['[]', '{"query":1}', '{"query":"{ __typename }","variables":[]}'])
      await sameFrom('/graphql', { method: 'POST', body, headers });
    await sameFrom(`/graphql?query=${encodeURIComponent('{ viewer { login } }')}`);
  });

  it('where a feed lacks what each must have', async () => {
    const restore = [fast, plain].map(({ services }) =>
      interceptRows(
        services.db,
        (run) => (sql, params, signal) =>
          run(sql.replace('f.title', 'nullif(f.title, f.title)'), params, signal),
      ),
    );
    try {
      const answer = await graphql({
        query: '{ viewer { feeds { nodes { feedKey feedTitle } } } }',
      });
      expect(answer).toContain('"path":["viewer","feeds","nodes",0,"feedTitle"]');
      await sameFrom(list('projections=feed_key,feed_title'));
    } finally {
      restore.forEach((back) => back());
    }
  });
});

it('without the fast lane no query is compiled and no row is kept as bytes', async () => {
  const [row] = await plain.services.db.read('SELECT 1', []);
  expect([row?.cells, row && 'bytes' in row]).toEqual([['1'], false]);
  expect('bytes' in ((await fast.services.db.read('SELECT 1', []))[0] ?? {})).toBe(true);
});
