import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENTERPRISE, patchOf, startScimApp, type ScimApp } from '../../support/scim.ts';

let app: ScimApp;
const send: ScimApp['acme']['send'] = (...args) => app.acme.send(...args);
beforeAll(async () => void (app = await startScimApp()));
afterAll(() => app.close());

const idOf = async (login: string): Promise<number> =>
  (await app.services.db.prisma.user.findUniqueOrThrow({ where: { login } })).id;
const create = async (user: object): Promise<string> => {
  const { status, json, text } = await send('POST', '/Users', user);
  expect(status, text).toBe(201);
  return `/Users/${json['id']}`;
};
const set = (path: string, attribute: string, value: unknown): ReturnType<typeof send> =>
  send('PATCH', path, patchOf({ op: 'replace', path: attribute, value }));
const countBy = async (filter: string): Promise<number> =>
  (await send('GET', `/Users?${new URLSearchParams({ filter })}`)).json['totalResults'];

describe('the login of an administrator', () => {
  const isRefused = async (path: string): Promise<void> => {
    for (const answer of [
      await set(path, 'userName', 'mallory'),
      await send('PUT', path, { userName: 'mallory' }),
    ])
      expect([answer.status, answer.json['scimType'], answer.json['detail']]).toEqual([
        400,
        'mutability',
        'userName of an administrator does not change',
      ]);
  };

  it('does not change, whatever else does', async () => {
    const path = `/Users/${await idOf('admin')}`;
    await isRefused(path);
    const put = await send('PUT', path, { userName: 'ADMIN', displayName: 'The Admin' });
    expect([put.status, put.json]).toMatchObject([
      200,
      { userName: 'admin', displayName: 'The Admin' },
    ]);
  });

  it('does not change where a profile makes them one, nor while they are disabled', async () => {
    const path = await create({ userName: 'by-profile', active: false });
    expect((await set(path, 'userName', 'by-a-profile')).status).toBe(200);
    await app.load([
      { record: 'profile', domain: 'acme', name: 'Chiefs', permissions: ['DOMAIN_ADMIN'] },
      { record: 'user', domain: 'acme', login: 'by-a-profile', profile: 'Chiefs', disabled: true },
    ]);
    await isRefused(path);
  });
});

it('a rename to the login of a deleted user is refused with the way to get that back', async () => {
  await send('DELETE', await create({ userName: 'gone' }));
  const answer = await set(await create({ userName: 'new' }), 'userName', 'gone');
  expect([answer.status, answer.json['scimType'], answer.json['detail']]).toEqual([
    409,
    'uniqueness',
    'userName: is that of a deleted user: create it again by POST',
  ]);
});

it('a language is written with a hyphen or as Okta does, and found by both', async () => {
  const path = await create({ userName: 'from-okta', locale: 'en_US' });
  expect((await send('GET', path)).json['locale']).toBe('en-US');
  for (const locale of ['en_US', 'en-us'])
    expect(await countBy(`locale eq "${locale}"`), locale).toBe(1);
});

it('the formatted name is the name for display only until the directory gives one', async () => {
  const path = await create({ userName: 'named', name: { givenName: 'Mia', familyName: 'Lang' } });
  const renamed = await set(path, 'name.formatted', 'Lang, Mia');
  expect(renamed.json['displayName']).toBe('Lang, Mia');
  await set(path, 'displayName', 'Mia of the bakery');
  for (const formatted of ['Mia Lang', null])
    expect((await set(path, 'name.formatted', formatted)).json['displayName']).toBe(
      'Mia of the bakery',
    );
});

it('a name made of long parts ends with a whole character', async () => {
  const givenName = 'x'.repeat(196);
  const { json } = await send('POST', '/Users', {
    userName: 'long',
    name: { givenName, familyName: 'of😀' },
  });
  expect(json['displayName']).toBe(`${givenName} of`);
});

it('a filter by what is known but not kept finds nobody', async () => {
  const path = await create({ userName: 'managed', title: 'Baker', locale: 'de' });
  const id = path.replace('/Users/', '');
  expect(await countBy(`id eq "${id}"`)).toBe(1);
  for (const filter of [
    'manager eq "7"',
    `${ENTERPRISE}:manager eq "7"`,
    `${ENTERPRISE}:manager.value eq "7"`,
    `${ENTERPRISE}:employeeNumber eq "7"`,
    'title eq "Baker"',
    'phoneNumbers[type eq "work"].value pr',
    'name.middleName pr',
  ]) {
    expect(await countBy(`id eq "${id}" and ${filter}`), filter).toBe(0);
    expect(await countBy(`id eq "${id}" or ${filter}`), filter).toBe(1);
  }
});

it('groups are compared by eq only', async () => {
  const { deptId } = await app.services.db.prisma.userDept.findFirstOrThrow({
    where: { user: { login: 'ana' } },
  });
  expect(await countBy(`userName eq "ana" and groups.value eq "${deptId}"`)).toBe(1);
  for (const op of ['sw', 'co', 'ew'])
    expect(await countBy(`userName eq "ana" and groups.value ${op} "${deptId}"`), op).toBe(0);
});

it.each([
  ['emails[type eq "work" and primary eq true].value', 'b@x'],
  ['emails[value eq "A@x"].value', 'b@x'],
  ['emails[value sw "b@" or value ew "@x"].value', 'b@x'],
  ['emails[type eq "home"].value', 'a@x'],
  ['emails[type eq "work" and primary eq false].value', 'a@x'],
  ['emails[value eq "b@x"].value', 'a@x'],
] as const)('%s means the one address that is kept, or none', async (path, expected) => {
  const user = await create({ userName: `mail-${Math.random()}`, emails: [{ value: 'a@x' }] });
  const { status, json } = await set(user, path, 'b@x');
  expect([status, json['emails'][0].value]).toEqual([200, expected]);
});

it.each([
  ['one more', [{ value: 'b@x', type: 'home' }], 'a@x'],
  ['one more, alone', { value: 'b@x' }, 'a@x'],
  ['none', [], 'a@x'],
  ['another for work', [{ value: 'b@x', type: 'work' }], 'b@x'],
  ['a new primary one', [{ value: 'b@x', type: 'home', primary: true }], 'b@x'],
])('an address that is added to the one that is kept: %s', async (_, emails, expected) => {
  for (const operation of [{ path: 'emails', value: emails }, { value: { emails } }]) {
    const userName = `added-${Math.random()}`;
    const user = await create({ userName, emails: [{ value: 'a@x' }] });
    const { status, json } = await send('PATCH', user, patchOf({ op: 'add', ...operation }));
    expect([status, json['emails'][0].value]).toEqual([200, expected]);
  }
  const first = await create({ userName: `first-${Math.random()}` });
  const adding = patchOf({ op: 'add', path: 'emails', value: [{ value: 'c@x', type: 'home' }] });
  expect((await send('PATCH', first, adding)).json['emails']).toMatchObject([{ value: 'c@x' }]);
});

it('an address is removed by its value, as it is then', async () => {
  const path = await create({ userName: 'mailed', emails: [{ value: 'a@x' }] });
  const remove = (value: string): object => ({ op: 'remove', path: `emails[value eq "${value}"]` });
  const replace = { op: 'replace', path: 'emails', value: [{ value: 'b@x' }] };
  const kept = await send('PATCH', path, patchOf(replace, remove('a@x')));
  expect(kept.json['emails']).toMatchObject([{ value: 'b@x' }]);
  expect((await send('PATCH', path, patchOf(remove('b@x')))).json).not.toHaveProperty('emails');
});

it('null stands for what is left out: the path of an operation, and active', async () => {
  const path = await create({ userName: 'nulls', active: null });
  const value = { active: null, displayName: 'N' };
  const { status, json } = await send('PATCH', path, patchOf({ op: 'add', path: null, value }));
  expect([status, json]).toMatchObject([200, { active: true, displayName: 'N' }]);
});

it('the reason names attributes as SCIM does', async () => {
  const path = `/Users/${await idOf('bob')}`;
  const detail = async (attribute: string, value: unknown): Promise<string> =>
    (await set(path, attribute, value)).json['detail'];
  expect(await detail('externalid', 7)).toMatch(/^externalId must be/);
  expect(await detail('NAME.GIVENNAME', 7)).toMatch(/^name\.givenName must be/);
  expect(await detail('username', null)).toMatch(/^userName must not/);
});
