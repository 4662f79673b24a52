import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ENTERPRISE,
  GROUP,
  patchOf,
  startScimApp,
  USER,
  type ScimApp,
} from '../../support/scim.ts';

// The requests of Microsoft's documents, in their order and form, with our names.

let app: ScimApp;
const send: ScimApp['acme']['send'] = (...args) => app.acme.send(...args);
beforeAll(async () => void (app = await startScimApp()));
afterAll(() => app.close());

const q = (filter: string): string => `filter=${encodeURIComponent(filter)}`;
const errors = (status: number, scimType?: string): object => ({
  status,
  json: {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    detail: expect.any(String),
    ...(scimType !== undefined && { scimType }),
  },
});

describe('Entra ID', () => {
  let id: string;
  let groupId: string;

  it('tests the connection by looking for somebody who is not there', async () => {
    const { status, headers, json } = await send(
      'GET',
      `/Users?${q('userName eq "non-existent"')}`,
    );
    expect([status, headers.get('content-type')]).toEqual([
      200,
      'application/scim+json; charset=utf-8',
    ]);
    expect(json).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    });
  });

  it('creates a user, who has no password and can not sign in', async () => {
    const { status, headers, json } = await send('POST', '/Users', {
      schemas: [USER, ENTERPRISE],
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: 'Test_User_ab6490ee@acme.example',
      active: true,
      displayName: 'Mia L.',
      emails: [{ primary: true, type: 'work', value: 'mia@acme.example' }],
      meta: { resourceType: 'User' },
      name: { formatted: 'givenName familyName', familyName: 'Lang', givenName: 'Mia' },
      roles: [],
      title: 'Baker',
      [ENTERPRISE]: { department: 'BERLIN', employeeNumber: '12' },
    });
    expect([status, headers.get('location'), headers.get('etag')]).toEqual([
      201,
      json['meta'].location,
      json['meta'].version,
    ]);
    id = json['id'];
    expect(json).toEqual({
      schemas: [USER, ENTERPRISE],
      id: expect.stringMatching(/^\d+$/),
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: 'test_user_ab6490ee@acme.example',
      displayName: 'Mia L.',
      name: { formatted: 'Mia L.', givenName: 'Mia', familyName: 'Lang' },
      emails: [{ value: 'mia@acme.example', type: 'work', primary: true }],
      active: true,
      locale: 'en',
      groups: [],
      [ENTERPRISE]: { department: 'Berlin' },
      meta: {
        resourceType: 'User',
        location: `${app.url}/scim/v2/Users/${id}`,
        version: expect.stringMatching(/^W\/"/),
      },
    });
    const user = await app.services.db.prisma.user.findUniqueOrThrow({ where: { id: Number(id) } });
    expect([user.passwordHash, user.displayName]).toEqual([null, 'Mia L.']);
  });

  it('reads the user by id and by login in any case, and is refused a second one of the name', async () => {
    const one = await send('GET', `/Users/${id}`);
    expect([one.status, one.json['userName']]).toEqual([200, 'test_user_ab6490ee@acme.example']);
    const found = await send('GET', `/Users?${q('userName eq "TEST_User_ab6490ee@acme.example"')}`);
    expect(found.json).toMatchObject({ totalResults: 1, Resources: [{ id }] });
    const byName = await send(
      'GET',
      `/Users?${q('USERNAME EQ "test_user_ab6490ee@acme.example"')}`,
    );
    expect(byName.json['totalResults']).toBe(1);
    for (const filter of [
      'emails[type eq "work"].value eq "MIA@acme.example"',
      'externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef" and active eq true',
    ])
      expect((await send('GET', `/Users?${q(filter)}`)).json['totalResults'], filter).toBe(1);
    expect(
      await send('POST', '/Users', {
        schemas: [USER],
        userName: 'test_user_ab6490ee@ACME.example',
      }),
    ).toMatchObject(errors(409, 'uniqueness'));
  });

  it('is told 404 of a user who is not there', async () => {
    expect(await send('GET', '/Users/5171a35d82074e068ce2')).toMatchObject(errors(404));
    expect(await send('GET', '/Users/2147483647')).toMatchObject(errors(404));
  });

  it('changes attributes by paths, with its own words for operations', async () => {
    const { status, json } = await send(
      'PATCH',
      `/Users/${id}`,
      patchOf(
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'mia.lang@acme.example' },
        { op: 'Replace', path: 'name.familyName', value: 'Lang-Berg' },
        { op: 'Add', path: 'displayName', value: 'Mia Lang-Berg' },
        { op: 'Add', path: 'addresses[type eq "work"].locality', value: 'Berlin' },
        { op: 'Replace', path: `${ENTERPRISE}:department`, value: 'boston' },
        { op: 'Add', path: `${ENTERPRISE}:manager`, value: '12' },
        { op: 'Remove', path: 'externalId' },
      ),
    );
    expect([status, json]).toMatchObject([
      200,
      {
        displayName: 'Mia Lang-Berg',
        name: { givenName: 'Mia', familyName: 'Lang-Berg' },
        emails: [{ value: 'mia.lang@acme.example' }],
        [ENTERPRISE]: { department: 'Boston' },
      },
    ]);
    expect(json).not.toHaveProperty('externalId');
  });

  it('changes attributes without a path, too, with dots in their names', async () => {
    const { json } = await send(
      'PATCH',
      `/Users/${id}`,
      patchOf({
        op: 'Add',
        value: {
          'name.givenName': 'Maria',
          'emails[type eq "work"].value': 'maria@acme.example',
          [`${ENTERPRISE}:department`]: 'Berlin',
          externalId: 'e-1',
        },
      }),
    );
    expect(json).toMatchObject({
      externalId: 'e-1',
      name: { givenName: 'Maria' },
      emails: [{ value: 'maria@acme.example' }],
      [ENTERPRISE]: { department: 'Berlin' },
    });
  });

  it('renames the login', async () => {
    const renamed = patchOf({ op: 'Replace', path: 'userName', value: 'Maria@acme.example' });
    expect((await send('PATCH', `/Users/${id}`, renamed)).json['userName']).toBe(
      'maria@acme.example',
    );
    const taken = patchOf({ op: 'Replace', path: 'userName', value: 'bob' });
    expect(await send('PATCH', `/Users/${id}`, taken)).toMatchObject(errors(409, 'uniqueness'));
  });

  it('creates a group, finds it, and moves members in and out', async () => {
    const created = await send('POST', '/Groups', {
      schemas: [GROUP, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
      externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
      displayName: 'Pastry',
      meta: { resourceType: 'Group' },
    });
    expect([created.status, created.json]).toMatchObject([
      201,
      { displayName: 'Pastry', members: [] },
    ]);
    groupId = created.json['id'];
    const read = await send('GET', `/Groups/${groupId}?excludedAttributes=members`);
    expect([read.status, read.json['members']]).toEqual([200, undefined]);
    const found = await send(
      'GET',
      `/Groups?excludedAttributes=members&${q('displayName eq "PASTRY"')}`,
    );
    expect(found.json).toMatchObject({ totalResults: 1, Resources: [{ id: groupId }] });
    const isMember = async (): Promise<number> =>
      (await send('GET', `/Groups?${q(`id eq "${groupId}" and members eq "${id}"`)}`)).json[
        'totalResults'
      ];

    const add = patchOf({ op: 'Add', path: 'members', value: [{ $ref: null, value: id }] });
    const added = await send('PATCH', `/Groups/${groupId}`, add);
    expect([added.status, added.text]).toEqual([204, '']);
    expect(await isMember()).toBe(1);
    expect((await send('GET', `/Users/${id}`)).json['groups']).toEqual([
      {
        value: groupId,
        display: 'Pastry',
        type: 'direct',
        $ref: `${app.url}/scim/v2/Groups/${groupId}`,
      },
    ]);
    const remove = patchOf({ op: 'Remove', path: 'members', value: [{ $ref: null, value: id }] });
    expect((await send('PATCH', `/Groups/${groupId}`, remove)).status).toBe(204);
    expect(await isMember()).toBe(0);
    await send('PATCH', `/Groups/${groupId}`, add);
    const byFilter = patchOf({ op: 'Remove', path: `members[value eq "${id}"]` });
    expect((await send('PATCH', `/Groups/${groupId}`, byFilter)).status).toBe(204);
    expect(await isMember()).toBe(0);
    const rename = patchOf({ op: 'Replace', path: 'displayName', value: 'Fine Pastry' });
    expect((await send('PATCH', `/Groups/${groupId}`, rename)).status).toBe(204);
    expect((await send('GET', `/Groups/${groupId}`)).json['displayName']).toBe('Fine Pastry');
    expect((await send('DELETE', `/Groups/${groupId}`)).status).toBe(204);
    expect(await send('GET', `/Groups/${groupId}`)).toMatchObject(errors(404));
  });

  it('disables the user by a text, which ends the session, and deletes them', async () => {
    const session = await app.signedIn('maria@acme.example');
    const viewer = async (): Promise<unknown> =>
      (await app.gql('{ viewer { login } }', {}, session)).data?.viewer;
    expect(await viewer()).toEqual({ login: 'maria@acme.example' });
    const disable = patchOf({ op: 'Replace', path: 'active', value: 'False' });
    const { status, json } = await send('PATCH', `/Users/${id}`, disable);
    expect([status, json['active']]).toEqual([200, false]);
    expect(await viewer()).toBeFalsy();
    const deleted = await send('DELETE', `/Users/${id}`);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    for (const [method, body] of [
      ['GET', undefined],
      ['DELETE', undefined],
      ['PATCH', disable],
      ['PUT', { userName: 'x' }],
    ] as const)
      expect(await send(method, `/Users/${id}`, body)).toMatchObject(errors(404));
    const listed = await send('GET', `/Users?${q('userName eq "maria@acme.example"')}`);
    expect(listed.json['totalResults']).toBe(0);
  });

  it('creates the user again: the same one for the history, with nothing of what they had', async () => {
    const { prisma } = app.services.db;
    await prisma.permissionGrant.create({
      data: { subjectType: 'USER', subjectId: Number(id), permission: 'DOMAIN_ADMIN' },
    });
    await prisma.user.update({ where: { id: Number(id) }, data: { passwordHash: 'x' } });
    const { status, json } = await send('POST', '/Users', { userName: 'maria@acme.example' });
    expect([status, json]).toMatchObject([
      201,
      { id, active: true, displayName: 'maria@acme.example', groups: [] },
    ]);
    expect(json).not.toHaveProperty('externalId');
    expect(json).not.toHaveProperty([ENTERPRISE]);
    const user = await prisma.user.findUniqueOrThrow({ where: { id: Number(id) } });
    expect(user.passwordHash).toBeNull();
    expect(
      await prisma.permissionGrant.count({ where: { subjectType: 'USER', subjectId: Number(id) } }),
    ).toBe(0);
  });
});
