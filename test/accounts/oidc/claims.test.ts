import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { lockDomain } from '../../../src/accounts/users/users.sql.ts';
import { untilSomebodyWaits } from '../../support/until-somebody-waits.ts';
import { AUDIENCE, startProvider, type TestProvider } from '../../support/openid.ts';
import { startOpenIdApp, type OpenIdApp } from '../../support/openid-app.ts';

/** A provider for each set of rules. */
const rules = {
  others: { departments: 'claim:groups' },
  homes: { homeDepartments: 'claim:groups' },
  roles: { permissions: 'claim:roles' },
};
type Rules = keyof typeof rules;

let app: OpenIdApp;
let folder: string;
let providers: Record<Rules, TestProvider>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trivium-claims-'));
  const [others, homes, roles] = await Promise.all([
    startProvider(),
    startProvider(),
    startProvider(),
  ]);
  providers = { others, homes, roles };
  const file = join(folder, 'providers.json');
  const all = Object.entries(rules).map(([id, rule]) => ({
    ...{ id, issuer: providers[id as Rules].issuer, audience: AUDIENCE, domain: 'acme' },
    ...rule,
  }));
  await writeFile(file, JSON.stringify(all));
  app = await startOpenIdApp({ OIDC_FILE: file }, { provider: others });
});
afterAll(async () => {
  await app.close();
  for (const provider of Object.values(providers)) await provider.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => app.setTime(Date.now()));

let tokens = 0;
/** A call with a new token of a provider. */
const come = async (name: string, by: Rules, claims: object): Promise<string | undefined> => {
  const provider = providers[by];
  const exp = Math.floor(Date.now() / 1000) + 300;
  const person = { sub: name, email: `${name}@acme.test`, email_verified: true };
  const common = { iss: provider.issuer, aud: AUDIENCE, exp, jti: `${++tokens}` };
  const answer = await app.ask(await provider.sign({ ...common, ...person, ...claims }));
  return answer.data?.viewer?.login;
};
const add = (name: string, more: object = {}): Promise<unknown> =>
  app.load([{ record: 'user', domain: 'acme', login: `${name}@acme.test`, ...more }]);
const departmentsOf = async (name: string): Promise<Record<string, boolean>> => {
  const rows = await app.services.db.prisma.userDept.findMany({
    where: { user: { login: `${name}@acme.test` } },
    include: { dept: true },
  });
  return Object.fromEntries(rows.map(({ dept, isHome }) => [dept.name, isHome]));
};

const depts = [
  { name: 'Bakery', home: true },
  { name: 'Office', home: false },
];

it('a rule for departments alone leaves home departments as they are', async () => {
  await add('ann', { depts });
  await come('ann', 'others', { groups: ['Logistics'] });
  expect(await departmentsOf('ann')).toEqual({ Bakery: true, Logistics: false });
  await come('ann', 'others', { groups: ['Bakery'] });
  expect(await departmentsOf('ann')).toEqual({ Bakery: true });
});

it('a rule for home departments alone leaves other departments as they are', async () => {
  await add('ben', { depts });
  await come('ben', 'homes', { groups: ['Logistics'] });
  expect(await departmentsOf('ben')).toEqual({ Office: false, Logistics: true });
  await come('ben', 'homes', {});
  expect(await departmentsOf('ben')).toEqual({ Office: false });
});

it('puts nobody into a department that a directory deleted', async () => {
  await add('cis');
  const { dept } = app.services.db.prisma;
  const removed = { where: { name: 'Logistics' } };
  await dept.updateMany({ ...removed, data: { removedAt: new Date() } });
  await come('cis', 'others', { groups: ['Logistics', 'Office'] });
  await dept.updateMany({ ...removed, data: { removedAt: null } });
  expect(await departmentsOf('cis')).toEqual({ Office: false });
});

it('does not bring back what a directory takes away meanwhile', async () => {
  await add('dan', { depts });
  const { db } = app.services;
  let coming: Promise<string | undefined> | undefined;
  await db.transaction(async (_, tx) => {
    const { id, domainId } = await tx.prisma.user.findUniqueOrThrow({
      where: { login: 'dan@acme.test' },
    });
    await lockDomain.rows(tx, { domainId });
    await tx.prisma.userDept.deleteMany({ where: { userId: id, isHome: true } });
    coming = come('dan', 'others', { groups: ['Logistics'] });
    await untilSomebodyWaits(db);
  });
  expect(await coming).toBe('dan@acme.test');
  expect(await departmentsOf('dan')).toEqual({ Logistics: false });
});

const permissionsOf = async (name: string): Promise<string[]> => {
  const user = await app.services.db.prisma.user.findUniqueOrThrow({
    where: { login: `${name}@acme.test` },
  });
  const grants = await app.services.db.prisma.permissionGrant.findMany({
    where: { subjectType: 'USER', subjectId: user.id },
  });
  return grants.map(({ permission }) => permission);
};

it('claims leave the domain its last administrator', async () => {
  await add('dot', { permissions: ['DOMAIN_ADMIN', 'SMART_SEARCH'] });
  await come('dot', 'roles', { roles: [] });
  expect(await permissionsOf('dot')).toEqual(['DOMAIN_ADMIN']);
  await add('boss', { permissions: ['DOMAIN_ADMIN'] });
  await come('dot', 'roles', { roles: [] });
  // One who can't sign in does not replace one who can.
  expect(await permissionsOf('dot')).toEqual(['DOMAIN_ADMIN']);
  await add('boss', { password: 'a secret of the boss' });
  await come('dot', 'roles', { roles: [] });
  expect(await permissionsOf('dot')).toEqual([]);
});

it('claims of a token that was issued before the last one change nothing', async () => {
  await add('eve');
  const iat = Math.floor(Date.now() / 1000) - 100;
  const admin = { roles: ['DOMAIN_ADMIN'] };
  await come('eve', 'roles', { iat: iat + 60, roles: [] });
  expect(await come('eve', 'roles', { iat, ...admin })).toBe('eve@acme.test');
  expect(await come('eve', 'roles', { iat: -1e300, ...admin })).toBe('eve@acme.test');
  expect(await come('eve', 'roles', admin)).toBe('eve@acme.test');
  expect(await permissionsOf('eve')).toEqual([]);
  await come('eve', 'roles', { iat: iat + 60, ...admin });
  expect(await permissionsOf('eve')).toEqual(['DOMAIN_ADMIN']);
});
