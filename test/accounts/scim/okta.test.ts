import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GROUP, patchOf, startScimApp, USER, type ScimApp } from '../../support/scim.ts';

// The requests of Okta's documents, in their order and form, with our names.

let app: ScimApp;
const send: ScimApp['acme']['send'] = (...args) => app.acme.send(...args);
beforeAll(async () => void (app = await startScimApp()));
afterAll(() => app.close());

const q = (filter: string): string => `filter=${encodeURIComponent(filter)}`;

describe('Okta', () => {
  let id: string;
  let groupId: string;
  let whole: Record<string, any>;

  it('tests the connection with short pages of users and groups', async () => {
    const users = await send('GET', '/Users?startIndex=1&count=2');
    expect(users.json).toMatchObject({ totalResults: 4, startIndex: 1, itemsPerPage: 2 });
    const groups = await send('GET', '/Groups?startIndex=1&count=100');
    expect(groups.json['Resources'].map((group: any) => group.displayName)).toContain('Bakery');
  });

  it('looks for the login, then creates the user', async () => {
    const path = `/Users?${q('userName eq "test.user@okta.local"')}&startIndex=1&count=100`;
    expect((await send('GET', path)).json['totalResults']).toBe(0);
    const { status, json } = await send('POST', '/Users', {
      schemas: [USER],
      userName: 'test.user@okta.local',
      name: { givenName: 'Test', familyName: 'User' },
      emails: [{ primary: true, value: 'test.user@okta.local', type: 'work' }],
      displayName: 'Test User',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    });
    expect([status, json]).toMatchObject([
      201,
      {
        userName: 'test.user@okta.local',
        name: { givenName: 'Test', familyName: 'User' },
        externalId: '00ujl29u0le5T6Aj10h7',
        locale: 'en-US',
      },
    ]);
    whole = json;
    id = json['id'];
    const signIn = await app.rest('/session', undefined, {
      method: 'POST',
      body: JSON.stringify({ login: 'test.user@okta.local', password: '1mz050nq' }),
      headers: { 'content-type': 'application/json' },
    });
    expect(signIn.status).toBe(401);
  });

  it('sends the whole user back, changed, and administrators keep what it does not send', async () => {
    const { prisma } = app.services.db;
    const unit = await prisma.unit.findFirstOrThrow({ where: { nameFold: 'berlin' } });
    await prisma.user.update({ where: { id: Number(id) }, data: { unitId: unit.id } });
    const { json: before } = await send('GET', `/Users/${id}`);
    const changed = { ...whole, name: { givenName: 'Another', familyName: 'User' } };
    const { status, json } = await send('PUT', `/Users/${id}`, {
      ...changed,
      displayName: 'Another User',
      id,
    });
    expect([status, json]).toMatchObject([
      200,
      {
        id,
        name: { givenName: 'Another', formatted: 'Another User' },
        displayName: 'Another User',
      },
    ]);
    expect(json['meta'].version).not.toBe(before['meta'].version);
    const user = await prisma.user.findUniqueOrThrow({ where: { id: Number(id) } });
    expect(user.unitId).toBe(unit.id);
  });

  it('disables and enables by PATCH without a path, and by PUT', async () => {
    const active = async (): Promise<boolean> => (await send('GET', `/Users/${id}`)).json['active'];
    const set = (value: boolean): Promise<any> =>
      send('PATCH', `/Users/${id}`, patchOf({ op: 'replace', value: { active: value } }));
    expect((await set(false)).json['active']).toBe(false);
    expect(await active()).toBe(false);
    expect((await set(true)).json['active']).toBe(true);
    expect((await send('PUT', `/Users/${id}`, { ...whole, active: false })).json['active']).toBe(
      false,
    );
    expect((await send('PUT', `/Users/${id}`, { ...whole, active: true })).json['active']).toBe(
      true,
    );
  });

  it('pushes a group: creates it with members, renames it with its id, replaces the members', async () => {
    const bob = (await send('GET', `/Users?${q('userName eq "bob"')}`)).json['Resources'][0].id;
    const created = await send('POST', '/Groups', {
      schemas: [GROUP],
      displayName: 'Test SCIMv2',
      members: [{ value: id, display: 'test.user@okta.local' }],
    });
    expect(created.status).toBe(201);
    groupId = created.json['id'];
    const members = async (): Promise<string[]> =>
      (await send('GET', `/Groups/${groupId}`)).json['members'].map(({ value }: any) => value);
    expect(await members()).toEqual([id]);
    const renamed = patchOf({
      op: 'replace',
      value: { id: groupId, displayName: 'Test SCIMv2 B' },
    });
    expect((await send('PATCH', `/Groups/${groupId}`, renamed)).status).toBe(204);
    const replace = patchOf({
      op: 'replace',
      path: 'members',
      value: [{ value: bob, display: 'bob' }],
    });
    expect((await send('PATCH', `/Groups/${groupId}`, replace)).status).toBe(204);
    expect(await members()).toEqual([bob]);
    const both = patchOf(
      { op: 'remove', path: `members[value eq "${bob}"]` },
      { op: 'add', path: 'members', value: [{ value: id, display: 'x' }] },
    );
    expect((await send('PATCH', `/Groups/${groupId}`, both)).status).toBe(204);
    expect(await members()).toEqual([id]);
    const put = await send('PUT', `/Groups/${groupId}`, {
      schemas: [GROUP],
      id: groupId,
      displayName: 'Test SCIMv2 C',
      members: [{ value: id }, { value: bob }],
    });
    expect([put.status, put.json]).toMatchObject([200, { displayName: 'Test SCIMv2 C' }]);
    expect((await members()).sort()).toEqual([id, bob].sort());
  });

  it('deletes the group, and a group of the name comes back empty with its id', async () => {
    expect((await send('DELETE', `/Groups/${groupId}`)).status).toBe(204);
    expect((await send('GET', `/Users/${id}`)).json['groups']).toEqual([]);
    const again = await send('POST', '/Groups', { schemas: [GROUP], displayName: 'test SCIMV2 c' });
    expect([again.status, again.json]).toMatchObject([
      201,
      { id: groupId, displayName: 'test SCIMV2 c', members: [] },
    ]);
  });
});
