import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOON, type RestAnswer } from '../support/app.ts';
import { startTracker, TASKS, TEMPLATES, type Tracker } from '../support/tracker.ts';

let app: Tracker;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  app = await startTracker();
  for (const login of ['ana', 'bob', 'tess', 'sue', 'eve', 'boss'])
    tokens[login] = await app.signedIn(login);
});
afterAll(() => app.close());

const feedsOf = async (login: string, filter = ''): Promise<any[]> => {
  const { data } = await app.gql(
    `{ viewer { feeds(first: 100, filter: { feedTypeIds: ["EXTERNAL"] ${filter} }) { nodes { id feedKey feedTitle externalTask { name status } } } } }`,
    {},
    tokens[login],
  );
  return data.viewer.feeds.nodes;
};

it('F240 F252 creates task, feed and assignment, and answers 201 with Location and the stored record', async () => {
  const sent = {
    name: ' Count the till ',
    description: 'Twice.\nBoth of them 💶',
    status: 'TODO',
    priority: 'HIGH',
    assignedTo: 'ANA',
    assignedGroup: 'logistics',
    createdBy: 'Sue',
    executedBy: 'Ana',
    storeName: 'BERLIN',
    expiryTime: '2026-11-21T10:00:00.5+01:00',
  };
  const answer = await app.post(TASKS, sent);
  expect(answer.status).toBe(201);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const { id, feedKey } = answer.json;
  expect(answer.text).toBe(
    JSON.stringify({
      id,
      name: 'Count the till',
      description: sent.description,
      status: 'TODO',
      priority: 'HIGH',
      assignedTo: 'ANA',
      assignedGroup: 'logistics',
      createdBy: 'Sue',
      executedBy: 'Ana',
      storeName: 'BERLIN',
      expiryTime: '2026-11-21T09:00:00.500Z',
      createdAt: new Date(NOON).toISOString(),
      feedKey,
    }),
  );
  expect(answer.headers.get('location')).toBe(`${TASKS}/${id}`);
  const stored = await app.rest(`${TASKS}/${id}`, undefined, {
    headers: { 'API-Key': app.key, customerId: 'shop', 'X-Explain': '1' },
  });
  expect(stored.text).toBe(answer.text);
  for (const other of [id.toUpperCase(), id.replaceAll('-', '')]) {
    const same = await app.rest(`${TASKS}/${other}`, undefined, {
      headers: { 'API-Key': app.key, customerId: 'shop', 'X-Explain': '1' },
    });
    expect([same.status, same.text]).toEqual([200, answer.text]);
    expect(same.headers.get('x-graphql-variables')).toBe(stored.headers.get('x-graphql-variables'));
  }

  const list = await app.rest(
    '/task/v1/feeds/list/tasks?projections=feed_title,status,priority,feed_type,feed_description,end_date_time,unit_id,dept_id,feed_owner,assign_to_desc',
    tokens['ana'],
  );
  expect(list.json.feed_details.find((feed: any) => feed.feed_key === feedKey)).toMatchObject({
    feed_title: 'Count the till',
    status: 'N',
    priority: 1,
    feed_type: 'EXTERNAL',
    feed_description: sent.description,
    end_date_time: '2026-11-21 10:00:00',
    feed_owner: 'Sue',
    assign_to_desc: 'Ana, Logistics',
  });
});

it('F243 F245 F246 only the name is required: status and priority have defaults, null and blank text count as left out', async () => {
  const minimal = await app.post(TASKS, { name: 'Minimal' });
  expect(minimal.json).toMatchObject({
    name: 'Minimal',
    description: null,
    status: 'TODO',
    priority: 'MEDIUM',
    assignedTo: null,
    expiryTime: null,
  });
  const blank = await app.post(TASKS, {
    name: 'Blank',
    description: '',
    status: null,
    priority: null,
    assignedTo: '  ',
    expiryTime: null,
  });
  expect(blank.json).toMatchObject({
    description: null,
    status: 'TODO',
    priority: 'MEDIUM',
    assignedTo: null,
    expiryTime: null,
  });
});

const long = 'é'.repeat(201);
describe.each<[string, string, unknown, string]>([
  ...[
    ['', 'REQUIRED'],
    ['   ', 'REQUIRED'],
    [null, 'REQUIRED'],
    [undefined, 'REQUIRED'],
    [7, 'WRONG_TYPE'],
    [['x'], 'WRONG_TYPE'],
    [long, 'TOO_LONG'],
    ['a\u0000b', 'UNUSABLE_TEXT'],
    ['\ud800', 'UNUSABLE_TEXT'],
  ].map(([value, code]) => ['F243', 'name', value, code] as [string, string, unknown, string]),
  ['F244', 'description', 'x'.repeat(10_001), 'TOO_LONG'],
  ['F244', 'description', { text: 'x' }, 'WRONG_TYPE'],
  ...['todo', 'Todo', 'DONE', '', 0, true].map(
    (value) => ['F245', 'status', value, 'NOT_ALLOWED'] as [string, string, unknown, string],
  ),
  ...['high', 'URGENT', '', 1, ['HIGH']].map(
    (value) => ['F246', 'priority', value, 'NOT_ALLOWED'] as [string, string, unknown, string],
  ),
  ['F247', 'assignedTo', long, 'TOO_LONG'],
  ['F247', 'assignedTo', 5, 'WRONG_TYPE'],
  ['F248', 'assignedGroup', long, 'TOO_LONG'],
  ['F248', 'assignedGroup', false, 'WRONG_TYPE'],
  ['F250', 'createdBy', long, 'TOO_LONG'],
  ['F250', 'executedBy', long, 'TOO_LONG'],
  ['F250', 'storeName', long, 'TOO_LONG'],
  ['F250', 'storeName', 1, 'WRONG_TYPE'],
  ['F251', 'expiryTime', '2026-11-21', 'INVALID_TIME'],
  ['F251', 'expiryTime', 'tomorrow', 'INVALID_TIME'],
  ['F251', 'expiryTime', '2026-02-30T10:00:00Z', 'INVALID_TIME'],
  ['F251', 'expiryTime', '20260230T100000Z', 'INVALID_TIME'],
  ['F251', 'expiryTime', '2026-11-21T10:00:00+24', 'INVALID_TIME'],
  ['F251', 'expiryTime', 1795176000000, 'WRONG_TYPE'],
  ['F251', 'expiryTime', '2026-11-21T10:00:00', 'ZONE_REQUIRED'],
  ['F251', 'expiryTime', '20261121T100000', 'ZONE_REQUIRED'],
  ['F251', 'expiryTime', '2026-11-20T11:58:59Z', 'EXPIRY_IN_PAST'],
])('%s %s %j', (_, field, value, code) => {
  it(`is refused with ${code}`, async () => {
    const answer = await app.post(TASKS, { name: 'x', [field]: value });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      type: 'urn:trivium:validation-error',
      title: 'Bad Request',
      status: 400,
      detail: '1 problem in the request',
      errors: [{ field, code }],
      requestId: answer.headers.get('x-request-id'),
    });
  });
});

it.each([
  '2027-01-31T15:00:00.250-02',
  '2027-01-31T22:30:00,25+0530',
  '20270131T170000.25Z',
  '20270131T200000,250+03',
  '2027-01-31t17:00:00.250z',
])('F251 takes %s, which ISO 8601 or RFC 3339 allows', async (expiryTime) => {
  const answer = await app.post(TASKS, { name: 'x', expiryTime });
  expect([answer.status, answer.json['expiryTime']]).toEqual([201, '2027-01-31T17:00:00.250Z']);
});

it('F251 says of a time after the year 9998 that no feed can have it', async () => {
  const last = '9998-12-31T23:59:59Z';
  expect((await app.post(TASKS, { name: 'x', expiryTime: last })).json).toMatchObject({
    expiryTime: '9998-12-31T23:59:59.000Z',
  });
  for (const expiryTime of [
    '9999-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '9999-12-31T23:59:59.9999999Z',
    '0001-01-01T00:00:00Z',
  ]) {
    const { status, json } = await app.post(TASKS, { name: 'x', expiryTime });
    expect([status, json.errors]).toEqual([
      400,
      [
        {
          field: 'expiryTime',
          code: 'INVALID_TIME',
          message: 'must be in the years 1900 to 9998; leave it out for a task that never expires',
        },
      ],
    ]);
  }
});

it('F251 says of a day that no calendar has that it is none', async () => {
  const { json } = await app.post(TASKS, { name: 'x', expiryTime: '2027-02-30T10:00:00Z' });
  expect(json.errors).toMatchObject([
    { message: '2027-02-30 is an impossible date: no calendar has this day' },
  ]);
});

it('F243 F244 F247 takes values at the limits, counted in characters', async () => {
  const wide = '😀'.repeat(200);
  const answer = await app.post(TASKS, {
    name: `  ${wide}\n`,
    description: 'x'.repeat(10_000),
    assignedTo: wide,
    expiryTime: '2026-11-20T11:59:00Z',
  });
  expect(answer.status).toBe(201);
  expect(answer.json).toMatchObject({ name: wide, assignedTo: wide });
});

it('F252 names every field problem at once and stores nothing', async () => {
  const before = await app.services.db.prisma.feed.count();
  const answer = await app.post(TASKS, {
    name: '',
    description: 1,
    status: 'x',
    priority: 'x',
    assignedTo: 1,
    assignedGroup: 1,
    createdBy: 1,
    executedBy: 1,
    storeName: 1,
    expiryTime: 'x',
  });
  expect(answer.json.errors.map(({ field }: any) => field).sort()).toEqual([
    'assignedGroup',
    'assignedTo',
    'createdBy',
    'description',
    'executedBy',
    'expiryTime',
    'name',
    'priority',
    'status',
    'storeName',
  ]);
  expect(await app.services.db.prisma.feed.count()).toBe(before);
});

it.each([[[]], ['"x"'], ['null'], ['3'], ['']])(
  'F252 a body that is no object is refused: %s',
  async (body) => {
    const answer = await app.post(TASKS, body);
    expect(answer.status).toBe(400);
    expect(answer.json.errors).toMatchObject([{ field: '', code: 'WRONG_TYPE' }]);
  },
);

it('F252 broken JSON and broken UTF-8 are 400, deep JSON is no fault of the server', async () => {
  expect((await app.post(TASKS, '{"name":')).status).toBe(400);
  expect(
    (
      await app.post(TASKS, `{"name":"deep","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, {
        'Idempotency-Key': 'deep',
      })
    ).status,
  ).toBeLessThan(500);
});

it('F241 needs Content-Type application/json: else 415', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
    const answer = await app.post(TASKS, { name: 'x' }, { 'content-type': type });
    expect(answer.status).toBe(415);
    expect(answer.json).toMatchObject({ status: 415, title: 'Unsupported Media Type' });
  }
  expect(
    (await app.post(TASKS, { name: 'x' }, { 'content-type': 'application/json; charset=utf-8' }))
      .status,
  ).toBe(201);
});

it('F241 answers JSON whatever accept says, and 405 in the shape of problems', async () => {
  const answer = await app.post(TASKS, { name: 'x' }, { accept: 'text/html' });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    201,
    'application/json; charset=utf-8',
  ]);
  const wrong = await app.rest(TASKS, undefined, { method: 'GET' });
  expect([wrong.status, wrong.json.status, wrong.headers.get('allow')]).toEqual([
    405,
    405,
    'POST, OPTIONS',
  ]);
});

it('F252 unknown fields are ignored and named; strict handling refuses them', async () => {
  const lenient = await app.post(TASKS, { name: 'x', colour: 'red', domain_id: 1 });
  expect([lenient.status, lenient.headers.get('x-ignored-parameters')]).toEqual([
    201,
    'colour, domain_id',
  ]);
  const strict = await app.post(TASKS, { colour: 'red' }, { prefer: 'handling=strict' });
  expect(strict.headers.get('preference-applied')).toBe('handling=strict');
  expect(strict.json.errors).toMatchObject([
    { field: 'name' },
    { field: 'colour', code: 'UNKNOWN_FIELD' },
  ]);
});

it('P8 unknown parameters in the query are ignored and named; strict handling refuses them', async () => {
  const { id } = (await app.post(TASKS, { name: 'x' })).json;
  const callers = { 'API-Key': app.key, customerId: 'shop' };
  const send = (path: string, headers = {}): Promise<RestAnswer> =>
    path === TASKS
      ? app.post(`${path}?page=2&colour=red`, { name: 'x', size: 1 }, headers)
      : path === TEMPLATES
        ? app.post(`${path}?page=2&colour=red`, ['x'], headers)
        : app.rest(`${path}?page=2&colour=red`, undefined, { headers: { ...callers, ...headers } });
  for (const path of [TASKS, TEMPLATES, `${TASKS}/${id}`]) {
    const lenient = await send(path);
    expect(lenient.status, path).toBeLessThan(202);
    expect(lenient.headers.get('x-ignored-parameters'), path).toBe(
      path === TASKS ? 'page, colour, size' : 'page, colour',
    );
    const strict = await send(path, { prefer: 'handling=strict' });
    expect([strict.status, strict.json.errors], path).toMatchObject([
      400,
      [
        { field: 'page', code: 'UNKNOWN_FIELD' },
        { field: 'colour', code: 'UNKNOWN_FIELD' },
      ],
    ]);
  }
});

it('F247 F248 F250 names are resolved inside the customer’s domain only; unknown ones are kept as text', async () => {
  const stranger = await app.post(TASKS, {
    name: 'For a stranger',
    assignedTo: 'eve',
    assignedGroup: 'Nobody knows',
    storeName: 'Nowhere',
    createdBy: 'boss',
  });
  expect(stranger.json).toMatchObject({
    assignedTo: 'eve',
    assignedGroup: 'Nobody knows',
    storeName: 'Nowhere',
  });
  const gone = await app.post(TASKS, { name: 'For one who left', assignedTo: 'gone' });
  expect(gone.status).toBe(201);
  // A directory deletes groups so that they come back with their names.
  await app.load([{ record: 'dept', domain: 'acme', name: 'Night crew' }]);
  await app.services.db.rows(`UPDATE dept SET removed_at = now() WHERE name = 'Night crew'`, []);
  const crew = await app.post(TASKS, { name: 'For nobody', assignedGroup: 'night crew' });
  const assigned = await app.services.db.rows(
    'SELECT dept_id FROM feed_assignment WHERE feed_key = $1',
    [crew.json.feedKey],
  );
  expect([crew.json.assignedGroup, assigned]).toEqual(['night crew', []]);
  for (const login of ['eve', 'boss', 'ana', 'bob']) {
    const titles = (await feedsOf(login)).map((feed) => feed.feedTitle);
    expect(titles).not.toContain('For a stranger');
    expect(titles).not.toContain('For one who left');
  }
});

it('F248 a task of a group appears to its members, F250 one of a store in the view of the store', async () => {
  await app.post(TASKS, { name: 'For the office', assignedGroup: 'OFFICE' });
  await app.post(TASKS, { name: 'For Boston', storeName: 'boston' });
  const titles = async (login: string, filter?: string): Promise<string[]> =>
    (await feedsOf(login, filter)).map((feed) => feed.feedTitle);
  expect(await titles('bob')).toContain('For the office');
  expect(await titles('ana')).not.toContain('For the office');
  expect(await titles('tess', 'view: STORE_VIEW')).toEqual(['For Boston']);
  expect(await titles('bob', 'view: STORE_VIEW')).not.toContain('For Boston');
});

it('one graph: what people do with the feed shows on the task, in GraphQL and to the customer', async () => {
  const { json } = await app.post(TASKS, { name: 'Bake', assignedTo: 'ana' });
  const feed = (await feedsOf('ana')).find(({ feedKey }) => feedKey === json.feedKey);
  expect(feed.externalTask).toEqual({ name: 'Bake', status: 'TODO' });
  const states: string[] = [];
  for (const status of ['REVIEWED', 'IN_PROGRESS', 'COMPLETED']) {
    const { data } = await app.gql(
      'mutation ($id: ID!, $status: FeedStatus!) { changeFeedStatus(input: { feedId: $id, status: $status }) { ... on ChangeFeedStatusPayload { feed { externalTask { status feed { feedKey } } } } } }',
      { id: feed.id, status },
      tokens['ana'],
    );
    states.push(data.changeFeedStatus.feed.externalTask.status);
    expect(data.changeFeedStatus.feed.externalTask.feed.feedKey).toBe(json.feedKey);
  }
  expect(states).toEqual(['TODO', 'IN_PROGRESS', 'DONE']);
  expect(
    (
      await app.rest(`${TASKS}/${json.id}`, undefined, {
        headers: { 'API-Key': app.key, customerId: 'shop' },
      })
    ).json.status,
  ).toBe('DONE');
  await app.gql(
    'mutation ($id: ID!) { setFeedState(input: { feedIds: [$id], pinned: true }) { __typename } }',
    { id: feed.id },
    tokens['ana'],
  );
  expect(
    (await app.rest('/task/v1/feeds/list?pin=1', tokens['ana'])).json.feed_details.map(
      (row: any) => row.feed_key,
    ),
  ).toEqual([json.feedKey]);
});

it('a task is seen by its customer, by who sees its feed and by supervisors; node tells nobody else', async () => {
  const { json } = await app.post(TASKS, { name: 'Secret', assignedTo: 'ana' });
  const id = Buffer.from(`ExternalTask:${json.id}`).toString('base64');
  const node = async (token?: string, headers?: Record<string, string>) =>
    (
      await app.gql(
        'query ($id: ID!) { node(id: $id) { ... on ExternalTask { name feed { feedKey } } } }',
        { id },
        token,
        headers,
      )
    ).data?.node ?? null;
  expect(await node(tokens['ana'])).toEqual({ name: 'Secret', feed: { feedKey: json.feedKey } });
  expect(await node(undefined, { 'API-Key': app.key, customerId: 'shop' })).toEqual({
    name: 'Secret',
    feed: null,
  });
  expect(await node(tokens['sue'])).toEqual({ name: 'Secret', feed: null });
  for (const login of ['bob', 'eve', 'boss']) expect(await node(tokens[login])).toBeNull();
  expect(await node(undefined, { 'API-Key': app.foeKey, customerId: 'foe' })).toBeNull();
  expect(await node()).toBeNull();
  const foreign = await app.rest(`${TASKS}/${json.id}`, undefined, {
    headers: { 'API-Key': app.foeKey, customerId: 'foe' },
  });
  const unknown = await app.rest(`${TASKS}/00000000-0000-4000-8000-000000000000`, undefined, {
    headers: { 'API-Key': app.foeKey, customerId: 'foe' },
  });
  expect([foreign.status, unknown.status, foreign.json.detail]).toEqual([
    404,
    404,
    unknown.json.detail,
  ]);
});

describe('GraphQL createExternalTask', () => {
  const CREATE = `mutation ($input: CreateExternalTaskInput!) { createExternalTask(input: $input) { __typename
    ... on CreateExternalTaskPayload { replayed clientMutationId task { uuid name status priority expiryTime feed { feedKey } } taskEdge { cursor node { name } } }
    ... on ValidationError { code problems { path code } } ... on UserError { code } } }`;

  it('has the rules of REST', async () => {
    const byKey = { 'API-Key': app.key, customerId: 'shop' };
    const made = await app.gql(
      CREATE,
      { input: { name: 'By key', expiryTime: '2026-11-21T10:00:00Z', clientMutationId: 'c1' } },
      undefined,
      byKey,
    );
    expect(made.data.createExternalTask).toMatchObject({
      replayed: false,
      clientMutationId: 'c1',
      task: {
        name: 'By key',
        status: 'TODO',
        priority: 'MEDIUM',
        expiryTime: '2026-11-21T10:00:00.000Z',
        feed: null,
      },
    });
    const refused = await app.gql(
      CREATE,
      { input: { name: ' ', status: 'DONE', expiryTime: '2026-11-19T10:00:00Z' } },
      undefined,
      byKey,
    );
    expect(refused.data.createExternalTask).toEqual({
      __typename: 'ValidationError',
      code: 'VALIDATION_ERROR',
      problems: [
        { path: ['input', 'name'], code: 'REQUIRED' },
        { path: ['input', 'status'], code: 'NOT_ALLOWED' },
        { path: ['input', 'expiryTime'], code: 'EXPIRY_IN_PAST' },
      ],
    });
  });

  it('is for supervisors too, in their own domain, and for nobody else', async () => {
    const made = await app.gql(
      CREATE,
      { input: { name: 'By a supervisor', assignedTo: 'ana' } },
      tokens['sue'],
    );
    expect(made.data.createExternalTask.task).toMatchObject({ name: 'By a supervisor' });
    expect((await feedsOf('ana')).map((feed) => feed.feedTitle)).toContain('By a supervisor');
    expect(
      (await app.gql(CREATE, { input: { name: 'x' } }, tokens['ana'])).data.createExternalTask,
    ).toEqual({ __typename: 'ForbiddenError', code: 'FORBIDDEN' });
    expect((await app.gql(CREATE, { input: { name: 'x' } })).errors?.[0]).toMatchObject({
      extensions: { code: 'UNAUTHENTICATED', legacyCode: 'E202' },
    });
  });
});
