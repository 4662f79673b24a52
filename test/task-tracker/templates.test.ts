import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startTracker, TEMPLATES, type Tracker } from '../support/tracker.ts';

let app: Tracker;
beforeAll(async () => {
  app = await startTracker();
});
afterAll(() => app.close());

it('F239 creates templates; doubles collapse whatever their case, existing titles are returned', async () => {
  const first = await app.post(TEMPLATES, [' Clean ', 'Straße fegen', 'CLEAN', 'Count']);
  expect(first.status).toBe(201);
  expect(first.json).toMatchObject({
    templates: [
      { title: 'Clean', created: true },
      { title: 'Straße fegen', created: true },
      { title: 'Count', created: true },
    ],
    created: 3,
    existing: 0,
  });
  expect(Object.keys(first.json.templates[0])).toEqual(['id', 'title', 'created']);
  const second = await app.post(TEMPLATES, ['New', 'STRASSE FEGEN', 'clean']);
  expect(second.json).toMatchObject({ created: 1, existing: 2 });
  expect(second.json.templates.map(({ id }: any) => id).slice(1)).toEqual([
    first.json.templates[1].id,
    first.json.templates[0].id,
  ]);
});

it('F239 customers have titles of their own', async () => {
  const foe = await app.post(TEMPLATES, ['Clean'], { 'API-Key': app.foeKey, customerId: 'foe' });
  expect(foe.json).toMatchObject({ created: 1, existing: 0 });
});

it.each<[string, unknown, object[]]>([
  ['an empty array', [], [{ field: 'titles', code: 'REQUIRED' }]],
  ['an object', { titles: ['x'] }, [{ field: 'titles', code: 'WRONG_TYPE' }]],
  ['a string', '"x"', [{ field: 'titles', code: 'WRONG_TYPE' }]],
  ['no body', '', [{ field: 'titles', code: 'WRONG_TYPE' }]],
  [
    '501 titles',
    Array.from({ length: 501 }, (_, n) => `t${n}`),
    [{ field: 'titles', code: 'TOO_MANY' }],
  ],
  [
    'bad items, each with its index',
    ['good', '', '  ', 5, null, 'x'.repeat(201), 'a\u0000'],
    [
      { field: 'titles[1]', code: 'REQUIRED' },
      { field: 'titles[2]', code: 'REQUIRED' },
      { field: 'titles[3]', code: 'WRONG_TYPE' },
      { field: 'titles[4]', code: 'WRONG_TYPE' },
      { field: 'titles[5]', code: 'TOO_LONG' },
      { field: 'titles[6]', code: 'UNUSABLE_TEXT' },
    ],
  ],
])('F239 F254 refuses %s, all or nothing', async (_, body, errors) => {
  const answer = await app.post(TEMPLATES, body);
  expect(answer.status).toBe(400);
  expect(answer.json.errors).toMatchObject(errors);
  expect(await app.services.db.prisma.taskTemplate.count({ where: { title: 'good' } })).toBe(0);
});

it('F254 takes 500 titles of 200 characters', async () => {
  const answer = await app.post(
    TEMPLATES,
    Array.from({ length: 500 }, (_, n) => String(n).padStart(200, 'ü')),
  );
  expect(answer.json).toMatchObject({ created: 500, existing: 0 });
});

it('F254 sends 500 titles to the database in a few parameters: while thousands were written, others waited', async () => {
  const sent = vi.spyOn(pg.Client.prototype, 'query');
  // Without the fast lane each statement is one call.
  const slow = await startTracker({ fastLane: false });
  const titles = Array.from({ length: 500 }, (_, n) => `short ${n}`);
  expect((await slow.post(TEMPLATES, titles)).json).toMatchObject({ created: 500 });
  const inserts = sent.mock.calls.flatMap(([query]: unknown[]) => {
    const { text = '', values = [] } = query as { text?: string; values?: unknown[] };
    return /^INSERT INTO \W*\w*\W*task_template/.test(text) ? [values.length] : [];
  });
  expect(inserts).toEqual([6]);
  vi.restoreAllMocks();
  await slow.close();
});

it('F239 requests with the same titles in any order, at the same time, make each title once', async () => {
  const titles = Array.from({ length: 50 }, (_, n) => `parallel ${n}`);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      app.post(TEMPLATES, n % 2 ? titles : [...titles].reverse()),
    ),
  );
  expect(answers.reduce((sum, { json }) => sum + json.created, 0)).toBe(50);
  expect(answers.every(({ json }) => json.created + json.existing === 50)).toBe(true);
});

it('F239 lists templates by title: the domain’s to its users, the customer’s own to the customer', async () => {
  const LIST =
    'query ($first: Int, $after: Cursor) { taskTemplates(first: $first, after: $after) { totalCount pageInfo { hasNextPage hasPreviousPage endCursor } nodes { id title } } }';
  const own = await app.post(TEMPLATES, ['Zebra', 'apple', 'Banana'], {
    'API-Key': app.foeKey,
    customerId: 'foe',
  });
  const foe = { 'API-Key': app.foeKey, customerId: 'foe' };
  const page = (await app.gql(LIST, { first: 2 }, undefined, foe)).data.taskTemplates;
  expect(page).toMatchObject({
    totalCount: 4,
    nodes: [{ title: 'apple' }, { title: 'Banana' }],
    pageInfo: { hasNextPage: true, hasPreviousPage: false },
  });
  const next = (await app.gql(LIST, { first: 2, after: page.pageInfo.endCursor }, undefined, foe))
    .data.taskTemplates;
  expect(next).toMatchObject({
    nodes: [{ title: 'Clean' }, { title: 'Zebra' }],
    pageInfo: { hasNextPage: false, hasPreviousPage: true },
  });
  const eve = await app.signedIn('eve');
  expect((await app.gql(LIST, {}, eve)).data.taskTemplates.totalCount).toBe(4);
  expect((await app.gql(LIST)).errors?.[0]?.extensions['code']).toBe('UNAUTHENTICATED');
  const node = async (token: string) =>
    (
      await app.gql(
        'query ($id: ID!) { node(id: $id) { ... on TaskTemplate { uuid } } }',
        { id: page.nodes[0].id },
        token,
      )
    ).data.node;
  expect(await node(eve)).toEqual({ uuid: own.json.templates[1].id });
  expect(await node(await app.signedIn('ana'))).toBeNull();
});

it('F239 GraphQL createTaskTemplates: for supervisors, with the same rules', async () => {
  const CREATE = `mutation ($titles: [String!]!) { createTaskTemplates(input: { titles: $titles, idempotencyKey: "t" }) { __typename
    ... on CreateTaskTemplatesPayload { replayed results { created template { title } } } ... on UserError { code } } }`;
  const made = await app.gql(CREATE, { titles: ['Sue’s'] }, await app.signedIn('sue'));
  expect(made.data.createTaskTemplates).toEqual({
    __typename: 'CreateTaskTemplatesPayload',
    replayed: false,
    results: [{ created: true, template: { title: 'Sue’s' } }],
  });
  expect(
    (await app.gql(CREATE, { titles: ['Sue’s'] }, await app.signedIn('sue'))).data
      .createTaskTemplates.replayed,
  ).toBe(true);
  expect(
    (await app.gql(CREATE, { titles: ['x'] }, await app.signedIn('ana'))).data.createTaskTemplates
      .code,
  ).toBe('FORBIDDEN');
});
