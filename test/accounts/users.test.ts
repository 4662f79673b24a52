import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { organisation } from '../support/records.ts';

let app: TestApp;
let admin: string;

const acme = { record: 'user', domain: 'acme' };
beforeAll(async () => {
  app = await startApp();
  await app.load([
    ...organisation,
    { ...acme, login: 'admin', display_name: 'Ärmel', permissions: ['DOMAIN_ADMIN', 'X_RAY'] },
    { ...acme, login: 'chief', profile: 'Chief', time_zone_long: 'Asia/Tokyo', disabled: true },
    { record: 'user', domain: 'rival', login: 'boss', permissions: ['DOMAIN_ADMIN'] },
  ]);
  admin = await app.signedIn('admin');
});
afterAll(() => app.close());

const FIELDS =
  'id login displayName unit profile departments { name home } permissions timeZone langCode defaultView disabledAt hasPassword oneTimePasswordUntil';
const LIST = `query ($first: Int, $after: Cursor, $before: Cursor, $last: Int, $search: String, $disabled: Boolean) {
  viewer { users(first: $first, last: $last, after: $after, before: $before, search: $search, disabled: $disabled) { totalCount pageInfo { hasNextPage endCursor } nodes { ${FIELDS} } } } }`;
const list = async (variables: object = {}, token = admin): Promise<any> => {
  const { data, errors } = await app.gql(LIST, variables, token);
  expect(errors).toBeUndefined();
  return data.viewer.users;
};
const logins = async (variables: object): Promise<string[]> =>
  (await list(variables)).nodes.map(({ login }: any) => login);

it('lists the users of the own domain with all that an administrator sets', async () => {
  const { nodes, totalCount } = await list();
  expect(totalCount).toBe(5);
  expect(nodes.map(({ login }: any) => login)).toEqual(['admin', 'ana', 'bob', 'chief', 'tess']);
  expect(nodes[1]).toEqual({
    id: expect.any(String),
    login: 'ana',
    displayName: 'Ana',
    unit: 'Berlin',
    profile: 'Clerk',
    departments: [
      { name: 'Bakery', home: true },
      { name: 'Logistics', home: false },
    ],
    permissions: [],
    timeZone: null,
    langCode: 'en',
    defaultView: 'MY_VIEW',
    disabledAt: null,
    hasPassword: true,
    oneTimePasswordUntil: null,
  });
  expect(nodes[0].permissions).toEqual(['DOMAIN_ADMIN', 'X_RAY']);
  expect(nodes[3]).toMatchObject({
    timeZone: 'Asia/Tokyo',
    disabledAt: '2026-11-20T12:00:00.000Z',
    hasPassword: false,
  });
  expect(nodes[4]).toMatchObject({ unit: 'Boston', defaultView: 'STORE_VIEW' });
});

it('turns pages, and searches in logins and names without regard to case', async () => {
  const first = await list({ first: 2 });
  expect(first.pageInfo.hasNextPage).toBe(true);
  expect(await logins({ first: 2, after: first.pageInfo.endCursor })).toEqual(['bob', 'chief']);
  expect(await logins({ last: 1 })).toEqual(['tess']);
  expect(await logins({ search: 'AN' })).toEqual(['ana']);
  expect(await logins({ search: 'rMEL' })).toEqual(['admin']);
  expect(await logins({ search: '%' })).toEqual([]);
  expect(await logins({ search: '' })).toHaveLength(5);
  expect(await logins({ disabled: true })).toEqual(['chief']);
  expect(await logins({ disabled: false, search: 'chief' })).toEqual([]);
  for (const search of ['\0', 'x'.repeat(201)])
    expect((await app.gql(LIST, { search }, admin)).errors?.[0]?.extensions['code']).toBe(
      'VALIDATION_ERROR',
    );
});

it('is for administrators, and tells them of no other domain', async () => {
  const ana = await app.signedIn('ana');
  const refused = await app.gql('{ viewer { users { nodes { login } } } }', {}, ana);
  expect(refused.errors?.[0]?.extensions['code']).toBe('FORBIDDEN');
  const boss = await app.signedIn('boss');
  expect((await list({}, boss)).nodes.map(({ login }: any) => login)).toEqual(['boss', 'eve']);
  const [, { id }] = (await list()).nodes;
  const node = async (token: string, nodeId: string): Promise<any> =>
    (
      await app.gql(
        'query ($id: ID!) { node(id: $id) { ... on User { login } } }',
        { id: nodeId },
        token,
      )
    ).data.node;
  expect(await node(admin, id)).toEqual({ login: 'ana' });
  for (const token of [ana, boss]) expect(await node(token, id)).toBeNull();
  for (const odd of ['0', '-1', '1e3', '99999999999', 'x', ' 1'])
    expect(await node(admin, Buffer.from(`User:${odd}`).toString('base64'))).toBeNull();
});
