import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, startApp, type TestApp } from '../support/app.ts';
import { feed, organisation } from '../support/records.ts';
import { subscribeSse } from '../support/streams.ts';

let app: TestApp;
/** Another gateway on the same database; an embedded one has a single gateway. */
let other: TestApp;
let admin: string;

const acme = { record: 'user', domain: 'acme' };
beforeAll(async () => {
  const database = await freshDatabase();
  app = await startApp({ database });
  other = database.kind === 'server' ? await startApp({ database }) : app;
  await app.load([
    ...organisation,
    feed(1),
    feed(2, { dept: 'Office', assignments: [{ dept: 'Office' }] }),
    { ...acme, login: 'admin', permissions: ['DOMAIN_ADMIN'] },
    { record: 'user', domain: 'rival', login: 'boss', permissions: ['DOMAIN_ADMIN'] },
  ]);
  admin = await app.signedIn('admin');
});
afterAll(async () => {
  if (other !== app) await other.close();
  await app.close();
});

const FIELDS =
  'login displayName unit profile departments { name home } permissions timeZone langCode defaultView disabledAt hasPassword';
const RESULT = '__typename ... on UserError { code message }';
const PROBLEMS = '... on ValidationError { problems { path code } }';
/** Sends a mutation with an input; returns its result. */
async function send(
  mutation: string,
  input: object,
  { token = admin, payload = 'UserPayload', select = `user { id ${FIELDS} }` } = {},
): Promise<any> {
  const type = mutation === 'createUser' || mutation === 'updateUser' ? mutation : 'userId';
  const { data, errors } = await app.gql(
    `mutation ($input: ${type.charAt(0).toUpperCase()}${type.slice(1)}Input!) { ${mutation}(input: $input) { ${RESULT} ${mutation === 'enableUser' ? '' : PROBLEMS} ... on ${payload} { ${select} } } }`,
    { input },
    token,
  );
  expect(errors).toBeUndefined();
  return data[mutation];
}
const create = (input: object, token?: string): Promise<any> =>
  send('createUser', input, {
    payload: 'CreateUserPayload',
    select: `user { id ${FIELDS} } replayed`,
    ...(token !== undefined && { token }),
  });
const idOf = async (login: string): Promise<string> => {
  const { id } = await app.services.db.prisma.user.findUniqueOrThrow({ where: { login } });
  return Buffer.from(`User:${id}`).toString('base64');
};

describe('createUser', () => {
  it('makes a user of the own domain with all that is set, once per key', async () => {
    const input = {
      login: 'Zoë',
      displayName: 'Zoë Z.',
      unit: 'BERLIN',
      profile: 'chief',
      departments: [{ name: 'office', home: true }, { name: 'Bakery' }],
      permissions: ['SUPERVISOR'],
      timeZone: 'Asia/Tokyo',
      langCode: 'de',
      defaultView: 'STORE_VIEW',
      idempotencyKey: 'zoe',
    };
    const made = await create(input);
    expect(made).toMatchObject({
      replayed: false,
      user: {
        login: 'zoë',
        displayName: 'Zoë Z.',
        unit: 'Berlin',
        profile: 'Chief',
        departments: [
          { name: 'Bakery', home: false },
          { name: 'Office', home: true },
        ],
        permissions: ['SUPERVISOR'],
        timeZone: 'Asia/Tokyo',
        langCode: 'de',
        defaultView: 'STORE_VIEW',
        disabledAt: null,
        hasPassword: false,
      },
    });
    expect(await create(input)).toEqual({ ...made, replayed: true });
    expect(await create({ ...input, langCode: 'fr' })).toMatchObject({
      __typename: 'IdempotencyError',
    });
    const { data } = await app.gql(
      '{ viewer { login timeZone langCode feeds { nodes { feedKey } } } }',
      {},
      await app.signedIn('zoë'),
    );
    expect(data.viewer).toMatchObject({ login: 'zoë', timeZone: 'Asia/Tokyo' });
    expect(data.viewer.feeds.nodes).toEqual([{ feedKey: 2 }]);
  });

  it('has one effect for many calls at once with one key', async () => {
    const input = { login: 'once', idempotencyKey: 'once' };
    const made = await Promise.all(Array.from({ length: 20 }, () => create(input)));
    expect(made.filter(({ replayed }) => replayed === false)).toHaveLength(1);
    for (const { __typename, code } of made)
      expect([__typename, code]).toEqual(
        __typename === 'IdempotencyError'
          ? ['IdempotencyError', 'IDEMPOTENCY_KEY_RUNNING']
          : ['CreateUserPayload', undefined],
      );
  });

  it('needs no more than a login', async () => {
    expect(await create({ login: 'plain' })).toMatchObject({
      user: { displayName: 'plain', unit: null, departments: [], defaultView: 'MY_VIEW' },
    });
  });

  it.each([
    [{ login: 'two words' }, ['input.login INVALID']],
    [{ login: 'x'.repeat(201) }, ['input.login TOO_LONG']],
    [{ login: 'ANA' }, ['input.login TAKEN']],
    [{ login: 'eve' }, ['input.login TAKEN']],
    [
      {
        login: 'n1',
        unit: 'Nowhere',
        profile: 'None',
        departments: [{ name: 'Bakery' }, { name: 'x' }],
      },
      ['input.unit NOT_FOUND', 'input.profile NOT_FOUND', 'input.departments.1.name NOT_FOUND'],
    ],
    [
      {
        login: 'n2',
        timeZone: 'Mars/Base',
        permissions: ['small'],
        langCode: '*',
        displayName: ' ',
      },
      [
        'input.displayName INVALID',
        'input.permissions.0 INVALID',
        'input.timeZone INVALID',
        'input.langCode INVALID',
      ],
    ],
    [{ login: 'n3', displayName: 'a\0b' }, ['input.displayName INVALID']],
  ])('refuses %j and makes nobody', async (input, expected) => {
    const count = await app.services.db.prisma.user.count();
    const { __typename, problems } = await create(input);
    expect(__typename).toBe('ValidationError');
    expect(problems.map(({ path, code }: any) => `${path.join('.')} ${code}`)).toEqual(expected);
    expect(await app.services.db.prisma.user.count()).toBe(count);
  });

  it("does not find another domain's names", async () => {
    const boss = await app.signedIn('boss');
    expect(await create({ login: 'r1', unit: 'Boston' }, boss)).toMatchObject({
      problems: [{ path: ['input', 'unit'], code: 'NOT_FOUND' }],
    });
  });
});

describe('updateUser', () => {
  it('changes what is sent, clears with null, and leaves the rest', async () => {
    await create({
      login: 'uma',
      unit: 'Boston',
      profile: 'Clerk',
      timeZone: 'Asia/Tokyo',
      departments: [{ name: 'Bakery' }],
      permissions: ['X_RAY'],
    });
    const userId = await idOf('uma');
    const uma = await app.signedIn('uma');
    const feeds = async (): Promise<number> =>
      (await app.gql('{ viewer { feeds { totalCount } } }', {}, uma)).data.viewer.feeds.totalCount;
    expect(await feeds()).toBe(0);
    expect(
      await send('updateUser', {
        userId,
        departments: [{ name: 'Office', home: true }],
        unit: null,
      }),
    ).toMatchObject({
      user: {
        unit: null,
        profile: 'Clerk',
        timeZone: 'Asia/Tokyo',
        departments: [{ name: 'Office', home: true }],
        permissions: ['X_RAY'],
      },
    });
    expect(await feeds()).toBe(1);
    expect(
      await send('updateUser', {
        userId,
        displayName: 'U.',
        profile: null,
        timeZone: null,
        permissions: [],
        langCode: null,
        departments: null,
      }),
    ).toMatchObject({
      user: {
        displayName: 'U.',
        profile: null,
        timeZone: null,
        permissions: [],
        langCode: 'en',
        departments: [{ name: 'Office' }],
      },
    });
  });

  it('gives and takes permissions from the next request on', async () => {
    const tess = await app.signedIn('tess');
    const may = async (): Promise<boolean> =>
      (await app.gql('{ viewer { users { totalCount } } }', {}, tess)).errors === undefined;
    expect(await may()).toBe(false);
    await send('updateUser', { userId: await idOf('tess'), permissions: ['DOMAIN_ADMIN'] });
    expect(await may()).toBe(true);
    await send('updateUser', { userId: await idOf('tess'), permissions: [] });
    expect(await may()).toBe(false);
  });
});

const mutations = ['updateUser', 'disableUser', 'enableUser'];

it.each(mutations)(
  '%s is for administrators of the domain, and finds nobody else',
  async (name) => {
    const [ana, boss] = [await app.signedIn('ana'), await app.signedIn('boss')];
    const bob = await idOf('bob');
    expect((await send(name, { userId: bob }, { token: ana })).__typename).toBe('ForbiddenError');
    const missing = Buffer.from('User:999999').toString('base64');
    const answers = [
      await send(name, { userId: bob }, { token: boss }),
      await send(name, { userId: missing }, { token: boss }),
      await send(name, { userId: 'x' }, { token: boss }),
    ];
    for (const answer of answers)
      expect(answer).toEqual({
        __typename: 'NotFoundError',
        code: 'NOT_FOUND',
        message: 'User not found',
      });
  },
);

describe('disableUser', () => {
  it('ends sessions, streams and calendar addresses on every gateway, and enableUser brings none back', async () => {
    const token = await other.signedIn('bob');
    const made = await other.gql(
      'mutation { createCalendarSubscription(input: {}) { ... on CreateCalendarSubscriptionPayload { icsUrl } } }',
      {},
      token,
    );
    const calendar = new URL(made.data.createCalendarSubscription.icsUrl).pathname;
    expect((await other.rest(calendar)).status).toBe(200);
    const stream = await subscribeSse(other, token, 'subscription { feedChanged { __typename } }');
    const userId = await idOf('bob');
    const begun = performance.now();
    expect(await send('disableUser', { userId })).toMatchObject({
      user: { login: 'bob', disabledAt: '2026-11-20T12:00:00.000Z' },
    });
    await stream.closed;
    expect(performance.now() - begun).toBeLessThan(2_000);
    expect(stream.results.at(-1)?.errors ?? stream.results[0].errors).toMatchObject([
      { extensions: { code: 'UNAUTHENTICATED' } },
    ]);
    const isOut = async (): Promise<void> => {
      expect((await other.rest('/task/v1/feeds/list', token)).status).toBe(401);
      expect((await other.rest(calendar)).status).toBe(404);
    };
    await isOut();
    expect(await send('disableUser', { userId })).toMatchObject({ user: { login: 'bob' } });
    expect(await send('enableUser', { userId })).toMatchObject({ user: { disabledAt: null } });
    await isOut();
    expect((await other.rest('/task/v1/feeds/list', await other.signedIn('bob'))).status).toBe(200);
  });
});

describe('an administrator who is one no more', () => {
  const second = async (): Promise<{ token: string; userId: string }> => {
    await app.load([{ ...acme, login: 'ada', disabled: false, permissions: ['DOMAIN_ADMIN'] }]);
    return { token: await app.signedIn('ada'), userId: await idOf('ada') };
  };
  const rest = (login: string): string =>
    `createUser(input: { login: "${login}", permissions: ["DOMAIN_ADMIN"] }) { __typename } issueScimToken(input: {}) { __typename }`;
  const logins = async (): Promise<string[]> =>
    (await app.services.db.prisma.user.findMany()).map(({ login }) => login);

  it('by being disabled, does nothing in the rest of the document', async () => {
    const { token, userId } = await second();
    const { errors } = await app.gql(
      `mutation ($userId: ID!) { disableUser(input: { userId: $userId }) { __typename } ${rest('heir')} }`,
      { userId },
      token,
    );
    expect(errors?.map(({ extensions }) => extensions['code'])).toContain('UNAUTHENTICATED');
    expect(await logins()).not.toContain('heir');
    expect(await app.services.db.prisma.scimToken.count()).toBe(0);
  });

  it('by losing the permission, does nothing that needs it', async () => {
    const { token, userId } = await second();
    const { data } = await app.gql(
      `mutation ($userId: ID!) { updateUser(input: { userId: $userId, permissions: [] }) { __typename } ${rest('heir')} }`,
      { userId },
      token,
    );
    expect(data).toEqual({
      updateUser: { __typename: 'UserPayload' },
      createUser: { __typename: 'ForbiddenError' },
      issueScimToken: { __typename: 'ForbiddenError' },
    });
  });

  it('by somebody else while the document runs, does nothing in the rest of it', async () => {
    const { token } = await second();
    const { db } = app.services;
    await db.rows(
      `CREATE FUNCTION disable_ada() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE "user" SET disabled_at = now() WHERE login = 'ada'; RETURN NULL; END $$`,
      [],
    );
    await db.rows(
      `CREATE TRIGGER disable_ada AFTER INSERT ON "user" FOR EACH ROW WHEN (NEW.login = 'late2') EXECUTE FUNCTION disable_ada()`,
      [],
    );
    const names = Array.from({ length: 28 }, (_, index) => `late${index + 1}`);
    const { errors } = await app.gql(
      `mutation { ${names.map((login) => `${login}: createUser(input: { login: "${login}" }) { __typename }`).join(' ')} }`,
      {},
      token,
    );
    await db.rows('DROP FUNCTION disable_ada() CASCADE', []);
    expect(errors?.[0]).toMatchObject({
      path: ['late3'],
      extensions: { code: 'UNAUTHENTICATED', legacyCode: 'E202' },
    });
    const made = (await logins()).filter((login) => login.startsWith('late'));
    expect(made.sort()).toEqual(['late1', 'late2']);
  });
});

describe('the last administrator of a domain', () => {
  const last = {
    __typename: 'ValidationError',
    problems: [{ path: ['input', 'userId'], code: 'LAST_ADMINISTRATOR' }],
  };

  it("can't be disabled or demoted", async () => {
    const userId = await idOf('admin');
    expect(await send('disableUser', { userId })).toMatchObject(last);
    expect(await send('updateUser', { userId, permissions: ['SUPERVISOR'] })).toMatchObject(last);
    expect(await send('updateUser', { userId, displayName: 'A.' })).toMatchObject({
      user: { displayName: 'A.', permissions: ['DOMAIN_ADMIN'], disabledAt: null },
    });
  });

  it('is not replaced by one who has no password yet', async () => {
    const lone = { domain: 'lone', record: 'user' };
    await app.load([
      { record: 'domain', name: 'lone' },
      { ...lone, login: 'only', password: 'secret of only', permissions: ['DOMAIN_ADMIN'] },
    ]);
    const token = await app.signedIn('only');
    await create({ login: 'heir', permissions: ['DOMAIN_ADMIN'] }, token);
    const userId = await idOf('only');
    expect(await send('disableUser', { userId }, { token })).toMatchObject(last);
  });

  it('may be one by the profile, which then stays', async () => {
    await app.load([
      { record: 'profile', domain: 'rival', name: 'Head', permissions: ['DOMAIN_ADMIN'] },
      { record: 'user', domain: 'rival', login: 'head', profile: 'Head' },
    ]);
    const token = await app.signedIn('head');
    const [head, boss] = [await idOf('head'), await idOf('boss')];
    expect(await send('disableUser', { userId: boss }, { token })).toMatchObject({
      user: { login: 'boss' },
    });
    expect(await send('updateUser', { userId: head, profile: null }, { token })).toMatchObject(
      last,
    );
    expect(await send('disableUser', { userId: head }, { token })).toMatchObject(last);
    expect(await send('enableUser', { userId: boss }, { token })).toMatchObject({
      user: { disabledAt: null },
    });
  });

  it('remains when two disable each other at the same time', async () => {
    await create({ login: 'second', permissions: ['DOMAIN_ADMIN'] });
    const token = await app.signedIn('second');
    const [first, second] = [await idOf('admin'), await idOf('second')];
    const answers = await Promise.all([
      send('updateUser', { userId: second, permissions: [] }),
      send('updateUser', { userId: first, permissions: [] }, { token }),
    ]);
    const { db } = app.services;
    const left = await db.prisma.permissionGrant.count({
      where: {
        permission: 'DOMAIN_ADMIN',
        subjectType: 'USER',
        subjectId: {
          in: [first, second].map((id) => Number(Buffer.from(id, 'base64').toString().slice(5))),
        },
      },
    });
    expect([
      left,
      answers.map(({ __typename }) => __typename).sort((one) => (one === 'UserPayload' ? -1 : 1)),
    ]).toEqual([1, ['UserPayload', expect.stringMatching(/^(Validation|Forbidden)Error$/)]]);
  });
});
