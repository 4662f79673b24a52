import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiKeyPrefix, makeApiKey } from '../../src/auth/api-keys.ts';
import { NOON } from '../support/app.ts';
import { hasServer } from '../support/migrated.ts';
import { startTracker, TASKS, TEMPLATES, type Tracker } from '../support/tracker.ts';

let app: Tracker;
beforeAll(async () => {
  app = await startTracker();
});
afterAll(() => app.close());

const ISSUE = `mutation ($id: String!, $expires: DateTime) { issueApiKey(input: { customerId: $id, expiresAt: $expires }) { __typename
  ... on IssueApiKeyPayload { key apiKey { id prefix customerId expiresAt } } ... on ValidationError { problems { path code } } ... on UserError { code } } }`;
const REVOKE =
  'mutation ($key: ID!) { revokeApiKey(input: { keyId: $key }) { __typename ... on RevokeApiKeyPayload { apiKey { revokedAt } } } }';

describe('F242 every fault of a key is the same 401', () => {
  it('missing, malformed, unknown, revoked, expired, of another customer, of a disabled one', async () => {
    const admin = await app.signedIn('ada');
    const issue = async (id: string, expires?: string) =>
      (await app.gql(ISSUE, { id, expires }, admin)).data.issueApiKey;
    const revoked = await issue('revoked');
    await app.gql(REVOKE, { key: revoked.apiKey.id }, admin);
    const expired = await issue('expired', new Date(NOON + 1_000).toISOString());
    const disabled = await issue('disabled');
    await app.services.db.prisma.apiCustomer.update({
      where: { customerId: 'disabled' },
      data: { disabledAt: new Date(NOON) },
    });
    const lastCharacter = app.key.endsWith('A') ? 'B' : 'A';
    app.setTime(NOON + 2_000);
    const faults: Record<string, string | undefined>[] = [
      { 'API-Key': undefined },
      { customerId: undefined },
      { 'API-Key': undefined, customerId: undefined },
      { 'API-Key': '' },
      { customerId: '' },
      { 'API-Key': 'ttk_0_0' },
      { 'API-Key': app.key.slice(0, -1) + lastCharacter },
      { 'API-Key': app.key.toUpperCase() },
      { 'API-Key': makeApiKey().key },
      {
        'API-Key': `${app.key.slice(0, 4)}${app.key.slice(4).replace(/[0-9a-f]/, (digit) => (digit === '0' ? '1' : '0'))}`,
      },
      { customerId: 'foe' },
      { customerId: 'SHOP' },
      { customerId: 'nobody' },
      { 'API-Key': app.foeKey },
      { 'API-Key': revoked.key, customerId: 'revoked' },
      { 'API-Key': expired.key, customerId: 'expired' },
      { 'API-Key': disabled.key, customerId: 'disabled' },
    ];
    const texts = new Set<string>();
    for (const path of [TASKS, TEMPLATES]) {
      for (const headers of faults) {
        const answer = await app.post(path, path === TASKS ? { name: 'x' } : ['x'], headers);
        expect([answer.status, headers]).toEqual([401, headers]);
        texts.add(JSON.stringify({ ...answer.json, requestId: '' }));
      }
    }
    expect([...texts]).toEqual([
      JSON.stringify({
        type: 'urn:trivium:unauthenticated',
        title: 'Unauthorized',
        status: 401,
        detail: 'API-Key and customerId are missing or not valid',
        errors: [],
        requestId: '',
      }),
    ]);
    app.setTime(NOON);
  });

  it('comes before faults of the body, and a session opens nothing', async () => {
    expect((await app.post(TASKS, '{', { 'API-Key': undefined })).status).toBe(401);
    expect(
      (await app.post(TASKS, '{', { 'API-Key': undefined, 'content-type': 'text/plain' })).status,
    ).toBe(401);
    expect(
      (
        await app.post(
          TASKS,
          { name: 'x' },
          { 'API-Key': undefined, 'X-service-csrf-token-X': await app.signedIn('sue') },
        )
      ).status,
    ).toBe(401);
  });

  it('a key opens no session path', async () => {
    const answer = await app.rest('/task/v1/feeds/list', undefined, {
      headers: { 'API-Key': app.key, customerId: 'shop' },
    });
    expect(answer.json).toEqual({
      status: 'ER',
      errorCode: 'E202',
      response: 'Session token missing or invalid',
    });
    expect(
      (
        await app.gql('{ viewer { login } }', {}, undefined, {
          'API-Key': app.key,
          customerId: 'shop',
        })
      ).errors?.[0]?.extensions['code'],
    ).toBe('UNAUTHENTICATED');
  });
});

it('F242 a key is ttk_ with prefix and checksum; only its SHA-256 is stored', async () => {
  expect(app.key).toMatch(/^ttk_[0-9a-f]{8}_[A-Za-z0-9_-]{43}$/);
  for (let i = 0; i < 50; i++) {
    const { key, prefix } = makeApiKey();
    expect(apiKeyPrefix(key)).toBe(prefix);
    const position = 14 + Math.floor(Math.random() * 41);
    expect(
      apiKeyPrefix(
        `${key.slice(0, position)}${key[position] === 'a' ? 'b' : 'a'}${key.slice(position + 1)}`,
      ),
    ).toBeUndefined();
  }
  const stored = await app.services.db.rows('SELECT k::text FROM api_key k', []);
  expect(JSON.stringify(stored)).not.toContain(app.key.slice(13));
});

it('F242 administrators issue, list and revoke keys of their domain; two live ones for rotation', async () => {
  const admin = await app.signedIn('ada');
  const first = (await app.gql(ISSUE, { id: 'till' }, admin)).data.issueApiKey;
  const second = (await app.gql(ISSUE, { id: 'till' }, admin)).data.issueApiKey;
  for (const { key } of [first, second])
    expect(
      (await app.post(TASKS, { name: 'x' }, { 'API-Key': key, customerId: 'till' })).status,
    ).toBe(201);
  expect((await app.gql(ISSUE, { id: 'till' }, admin)).data.issueApiKey.problems).toEqual([
    { path: ['input', 'customerId'], code: 'TOO_MANY_KEYS' },
  ]);
  expect(
    (await app.gql(REVOKE, { key: first.apiKey.prefix }, admin)).data.revokeApiKey.apiKey.revokedAt,
  ).toBe(new Date(NOON).toISOString());
  expect(
    (await app.post(TASKS, { name: 'x' }, { 'API-Key': first.key, customerId: 'till' })).status,
  ).toBe(401);
  expect((await app.gql(ISSUE, { id: 'till' }, admin)).data.issueApiKey.__typename).toBe(
    'IssueApiKeyPayload',
  );

  const { data } = await app.gql(
    '{ viewer { apiKeys { customerId prefix revokedAt lastUsedAt } } }',
    {},
    admin,
  );
  expect(data.viewer.apiKeys.filter((key: any) => key.customerId === 'till')).toHaveLength(3);
  expect(data.viewer.apiKeys.some((key: any) => key.customerId === 'foe')).toBe(false);
  const log = await app.services.db.prisma.auditLog.findMany({
    where: { target: { startsWith: 'till ' } },
    orderBy: { id: 'asc' },
  });
  expect(log.map((entry) => entry.action)).toEqual([
    'issueApiKey',
    'issueApiKey',
    'revokeApiKey',
    'issueApiKey',
  ]);
});

it('revoked keys of customers who come first hide no key that works', async () => {
  const admin = await app.signedIn('ada');
  const { prisma } = app.services.db;
  const issue = async (id: string): Promise<string> =>
    (await app.gql(ISSUE, { id }, admin)).data.issueApiKey.apiKey.prefix;
  await issue('aaa');
  const works = await issue('zzz');
  const day = new Date(NOON);
  await prisma.apiKey.createMany({
    data: Array.from({ length: 1_000 }, (_, n) => ({
      ...{ customerId: 'aaa', prefix: 'replaced', keyHash: Buffer.alloc(32, `${n} `) },
      ...{ createdAt: day, revokedAt: day },
    })),
  });
  const { data } = await app.gql('{ viewer { apiKeys { prefix } } }', {}, admin);
  const prefixes = data.viewer.apiKeys.map((key: any) => key.prefix);
  expect(prefixes).toHaveLength(1_000);
  expect(prefixes).toContain(works);
  await prisma.apiKey.deleteMany({ where: { prefix: 'replaced' } });
});

it('a key is a Node: its administrators read it by its global id, and revoke it by that, its UUID or its prefix', async () => {
  const [admin, boss, ana] = [
    await app.signedIn('ada'),
    await app.signedIn('boss'),
    await app.signedIn('ana'),
  ];
  const READ =
    'query ($id: ID!) { node(id: $id) { id ... on ApiKey { customerId prefix revokedAt } } }';
  const issued = (await app.gql(ISSUE, { id: 'node' }, admin)).data.issueApiKey.apiKey;
  const node = async (id: string, token?: string): Promise<unknown> =>
    (await app.gql(READ, { id }, token)).data.node;
  const { id, prefix } = issued;
  expect(await node(id, admin)).toEqual({ id, prefix, customerId: 'node', revokedAt: null });
  for (const token of [boss, ana, undefined]) expect(await node(id, token)).toBeNull();
  const uuid = Buffer.from(id, 'base64').toString().slice('ApiKey:'.length);
  for (const other of [prefix, 'x', '\0'])
    expect(await node(Buffer.from(`ApiKey:${other}`).toString('base64'), admin)).toBeNull();
  const both = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } viewer { apiKeys { id } } }';
  const { nodes, viewer } = (await app.gql(both, { ids: [id, id] }, admin)).data;
  expect(nodes).toEqual([{ id }, { id }]);
  expect(viewer.apiKeys).toContainEqual({ id });
  for (const [key, type] of [
    [`${id}x`, 'NotFoundError'],
    [uuid, 'RevokeApiKeyPayload'],
    [id, 'RevokeApiKeyPayload'],
    [prefix, 'RevokeApiKeyPayload'],
  ])
    expect((await app.gql(REVOKE, { key }, admin)).data.revokeApiKey.__typename).toBe(type);
  expect(await node(id, admin)).toMatchObject({ revokedAt: new Date(NOON).toISOString() });
});

it('F242 others may not manage keys, nor those of a foreign domain', async () => {
  const [ana, admin, boss] = [
    await app.signedIn('ana'),
    await app.signedIn('ada'),
    await app.signedIn('boss'),
  ];
  expect((await app.gql(ISSUE, { id: 'shop' }, ana)).data.issueApiKey).toMatchObject({
    __typename: 'ForbiddenError',
  });
  expect(
    (await app.gql('{ viewer { apiKeys { id } } }', {}, ana)).errors?.[0]?.extensions['code'],
  ).toBe('FORBIDDEN');
  expect((await app.gql(ISSUE, { id: 'foe' }, admin)).data.issueApiKey.problems).toEqual([
    { path: ['input', 'customerId'], code: 'TAKEN' },
  ]);
  expect(
    (await app.gql(REVOKE, { key: app.key.slice(0, 12) }, boss)).data.revokeApiKey.__typename,
  ).toBe('NotFoundError');
  for (const id of ['', 'a b', 'x'.repeat(65), 'ä'])
    expect((await app.gql(ISSUE, { id }, admin)).data.issueApiKey.problems).toEqual([
      { path: ['input', 'customerId'], code: 'INVALID' },
    ]);
});

it('F242 notes the last use, at most once a minute', async () => {
  const lastUsed = async () =>
    (
      await app.services.db.prisma.apiKey.findFirstOrThrow({ where: { customerId: 'foe' } })
    ).lastUsedAt?.getTime();
  const use = async (time: number) => {
    app.setTime(time);
    expect(
      (await app.post(TEMPLATES, ['x'], { 'API-Key': app.foeKey, customerId: 'foe' })).status,
    ).toBe(201);
  };
  await use(NOON);
  await expect.poll(lastUsed).toBe(NOON);
  await use(NOON + 59_000);
  // Had that been noted, this would not be.
  await use(NOON + 61_000);
  await expect.poll(lastUsed).toBe(NOON + 61_000);
  app.setTime(NOON);
});

it.runIf(hasServer())(
  'F242 while the last use of a key can not be noted, its requests take no connections of others',
  async () => {
    const { db } = app.services;
    app.setTime(NOON + 3_600_000);
    const client = await db.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query(`SELECT FROM api_key WHERE customer_id = 'foe' FOR UPDATE`);
      const headers = { 'API-Key': app.foeKey, customerId: 'foe' };
      const requests = Array.from({ length: 40 }, () => app.post(TEMPLATES, ['x'], headers));
      expect((await Promise.all(requests)).map(({ status }) => status)).toEqual(
        Array<number>(40).fill(201),
      );
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
    const find = () => db.prisma.apiKey.findFirstOrThrow({ where: { customerId: 'foe' } });
    await expect.poll(async () => (await find()).lastUsedAt).toEqual(new Date(NOON + 3_600_000));
    app.setTime(NOON);
  },
);

it('F242 a key that is revoked creates nothing in the rest of its document', async () => {
  const admin = await app.signedIn('ada');
  const { key, apiKey } = (await app.gql(ISSUE, { id: 'kiosk' }, admin)).data.issueApiKey;
  const create = (name: string): string =>
    `${name}: createExternalTask(input: { name: "${name}" }) { __typename }`;
  const { data } = await app.gql(
    `mutation ($key: ID!) { ${create('before')} revokeApiKey(input: { keyId: $key }) { __typename } ${create('after')} }`,
    { key: apiKey.id },
    admin,
    { 'API-Key': key, customerId: 'kiosk' },
  );
  expect(data).toEqual({
    before: { __typename: 'CreateExternalTaskPayload' },
    revokeApiKey: { __typename: 'RevokeApiKeyPayload' },
    // What is left is the session of an administrator, who is no supervisor.
    after: { __typename: 'ForbiddenError' },
  });
});
