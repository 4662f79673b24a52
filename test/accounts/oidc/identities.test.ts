import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { AUDIENCE, CLIENT, startProvider, type TestProvider } from '../../support/openid.ts';
import { startOpenIdApp, type OpenIdApp } from '../../support/openid-app.ts';

let app: OpenIdApp;
let other: TestProvider;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trivium-oidc-'));
  const provider = await startProvider();
  other = await startProvider();
  const common = { audience: AUDIENCE, clientId: CLIENT, provision: true };
  const file = join(folder, 'providers.json');
  await writeFile(
    file,
    JSON.stringify([
      {
        ...common,
        id: 'main',
        issuer: provider.issuer,
        domain: { claim: 'tenant', map: { a: 'acme', b: 'rival', c: 'nowhere' } },
        unit: 'claim:store',
        profile: 'Clerk',
        departments: 'claim:groups',
        homeDepartments: { claim: 'roles', map: { baker: ['Bakery'] } },
        permissions: { claim: 'roles', map: { admin: ['DOMAIN_ADMIN', 'SMART_SEARCH'] } },
      },
      {
        ...common,
        id: 'partner',
        issuer: other.issuer,
        domain: 'acme',
        link: 'login',
        loginClaim: 'preferred_username',
      },
    ]),
  );
  app = await startOpenIdApp({ OIDC_FILE: file }, { provider });
  await app.load([
    {
      ...{ record: 'user', domain: 'acme', login: 'boss', password: 'a secret of the boss' },
      permissions: ['DOMAIN_ADMIN'],
    },
    { record: 'user', domain: 'acme', login: 'kim@acme.test', password: 'a secret of kim' },
    { record: 'user', domain: 'acme', login: 'lea@acme.test' },
    { record: 'user', domain: 'acme', login: 'off@acme.test', disabled: true },
    { record: 'user', domain: 'rival', login: 'max@rival.test' },
  ]);
});
afterAll(async () => {
  await app.close();
  await app.provider.close();
  await other.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => app.setTime(Date.now()));

let tokens = 0;
/** A call with a new token of a provider. */
const come = async (claims: object, provider = app.provider): ReturnType<OpenIdApp['ask']> => {
  const now = Math.floor(Date.now() / 1000);
  const common = { iss: provider.issuer, aud: AUDIENCE, exp: now + 300, jti: `${++tokens}` };
  return app.ask(await provider.sign({ ...common, ...claims }), '{ viewer { login displayName } }');
};
const at = (name: string, more: object = {}): object => ({
  ...{ sub: name, email: `${name}@acme.test`, email_verified: true, tenant: 'a' },
  ...more,
});
const userOf = async (login: string) => {
  const { prisma } = app.services.db;
  const user = await prisma.user.findUniqueOrThrow({
    where: { login },
    include: { unit: true, profile: true, depts: { include: { dept: true } }, domain: true },
  });
  const permissions = await prisma.permissionGrant.findMany({
    where: { subjectType: 'USER', subjectId: user.id },
    orderBy: { permission: 'asc' },
  });
  return {
    domain: user.domain.name,
    displayName: user.displayName,
    unit: user.unit?.name,
    profile: user.profile?.name,
    departments: Object.fromEntries(user.depts.map(({ dept, isHome }) => [dept.name, isHome])),
    permissions: permissions.map(({ permission }) => permission),
    hasPassword: user.passwordHash !== null,
  };
};
const refusals = async (target: string): Promise<unknown[]> => {
  const { prisma } = app.services.db;
  const users = await prisma.user.findMany();
  const loginOf = new Map(users.map(({ id, login }) => [`User:${id}`, login]));
  const entries = await prisma.auditLog.findMany({
    where: { action: 'signInWithToken', outcome: 'REFUSED', target: { startsWith: target } },
    orderBy: { id: 'asc' },
  });
  return entries.map((entry) => ({
    why: entry.target?.slice(target.length),
    seen: entry.domainId !== null,
    who: entry.objects.map((object) => loginOf.get(object)),
  }));
};

it('makes a user of what the claims say, and no more; each sign-in applies them anew', async () => {
  const roles = { roles: ['admin', 'baker', 'DOMAIN_ADMIN', 'SUPERVISOR'] };
  const groups = ['bakery', 'Office', 'Everybody', 'x'.repeat(300), 7, null];
  expect((await come(at('ida', { name: 'Ida', store: 'Berlin', groups, ...roles }))).data).toEqual({
    viewer: { login: 'ida@acme.test', displayName: 'Ida' },
  });
  expect(await userOf('ida@acme.test')).toEqual({
    ...{ domain: 'acme', displayName: 'Ida', unit: 'Berlin', profile: 'Clerk' },
    departments: { Bakery: true, Office: false },
    permissions: ['DOMAIN_ADMIN', 'SMART_SEARCH'],
    hasPassword: false,
  });
  await come(
    at('ida', { name: 'Ida B', store: 'Nowhere', groups: 'Logistics', email: 'new@acme.test' }),
  );
  expect(await userOf('ida@acme.test')).toMatchObject({
    ...{ displayName: 'Ida B', departments: { Logistics: false }, permissions: [] },
    unit: undefined,
  });
  // A claim that is not there says: none.
  await come(at('ida', { store: 'Boston' }));
  expect(await userOf('ida@acme.test')).toMatchObject({ unit: 'Boston', departments: {} });
});

it('never moves a user to another domain', async () => {
  await come(at('jo'));
  expect((await come(at('jo', { tenant: 'b' }))).errors).toHaveLength(1);
  for (const tenant of ['c', 'd', undefined, ['b', 'a'], '__proto__'])
    expect((await come(at('jo', { tenant }))).data?.viewer ?? null).toBeNull();
  expect((await userOf('jo@acme.test')).domain).toBe('acme');
  expect((await come(at('jo'))).data.viewer.login).toBe('jo@acme.test');
});

it('links a user who is there by a verified e-mail address of the domain only', async () => {
  expect((await come(at('kim', { email_verified: false }))).errors).toHaveLength(1);
  expect((await come(at('kim', { email_verified: undefined }))).errors).toHaveLength(1);
  const username = { email: undefined, preferred_username: 'kim@acme.test' };
  expect((await come(at('kim', username))).errors).toHaveLength(1);
  expect((await come(at('max', { email: 'max@rival.test' }))).errors).toHaveLength(1);
  expect((await come(at('off'))).errors).toHaveLength(1);
  expect((await come(at('kim'))).data.viewer.login).toBe('kim@acme.test');
  // From then on it is theirs, whoever comes with the address.
  expect((await come(at('kim', { sub: 'kim-2' }))).errors).toHaveLength(1);
  expect((await come(at('kim', { email: 'other@acme.test' }))).data.viewer.login).toBe(
    'kim@acme.test',
  );
});

it('two providers can not take the users of each other', async () => {
  await come(at('nia'));
  const named = { sub: 'nia', preferred_username: 'nia@acme.test' };
  expect((await come(named, other)).errors).toHaveLength(1);
  // The same subject of another provider is somebody else.
  expect((await come({ sub: 'nia', preferred_username: 'pat' }, other)).data.viewer.login).toBe(
    'pat',
  );
  expect((await come(at('pat', { sub: 'x', email: 'pat' }))).errors).toHaveLength(1);
  // Nor may one speak for the other.
  expect((await come({ ...at('nia'), iss: other.issuer })).errors).toHaveLength(1);
  expect((await come({ ...at('nia'), iss: app.provider.issuer }, other)).errors).toHaveLength(1);
});

it('links by any login where that is set, but to one identity', async () => {
  const [first, second] = await Promise.all(
    ['l1', 'l2'].map((sub) => come({ sub, preferred_username: 'lea@acme.test' }, other)),
  );
  expect([first, second].filter((answer) => answer?.data?.viewer)).toHaveLength(1);
});

it('many first requests of one identity make one user', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => come(at('uma'))));
  expect(answers.map(({ data }) => data?.viewer.login)).toEqual(Array(8).fill('uma@acme.test'));
});

it.each([
  ['without any login', { sub: 'q1', email: undefined }],
  ['whose login holds a space', { sub: 'q2', email: 'a b@acme.test' }],
  ['whose login is no text', { sub: 'q3', email: { toString: 'x' } }],
  ['whose login holds a NUL', { sub: 'q4', email: 'a\0b' }],
  ['whose address is refuted', { sub: 'q5', email: 'q5@acme.test', email_verified: false }],
])('refuses one %s', async (_, claims) => {
  const before = await app.services.db.prisma.user.count();
  expect((await come(at('q', claims))).errors).toMatchObject([
    { extensions: { code: 'UNAUTHENTICATED' } },
  ]);
  expect(await app.services.db.prisma.user.count()).toBe(before);
});

it('the audit log says why, to the administrators of the domain if that is known', async () => {
  await come(at('nia', { sub: 'off', email: 'off@acme.test' }));
  await app.load([{ record: 'user', domain: 'acme', login: 'nia@acme.test', disabled: true }]);
  await come(at('nia'));
  // The same refusal is one entry an hour. It names users to administrators of their own domain only.
  const another = { why: 'login of another user', seen: true };
  expect(await refusals('provider main: ')).toEqual([
    { why: 'user of another domain', seen: true, who: ['jo@acme.test'] },
    { why: 'no such domain', seen: false, who: [] },
    { why: 'no login', seen: true, who: [] },
    { ...another, who: ['kim@acme.test'] },
    { ...another, who: [] },
    { ...another, who: ['off@acme.test'] },
    { ...another, who: ['pat'] },
    { why: 'disabled user', seen: true, who: ['nia@acme.test'] },
  ]);
});
