import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchOf, startScimApp, type ScimApp } from '../../support/scim.ts';

let app: ScimApp;
const send: ScimApp['acme']['send'] = (...args) => app.acme.send(...args);
beforeAll(async () => void (app = await startScimApp()));
afterAll(() => app.close());

const idOf = async (login: string): Promise<number> =>
  (await app.services.db.prisma.user.findUniqueOrThrow({ where: { login } })).id;
const create = async (displayName: string, members: object[] = []): Promise<string> => {
  const { status, json, text } = await send('POST', '/Groups', { displayName, members });
  expect(status, text).toBe(201);
  return json['id'];
};

describe('a member', () => {
  it('that is said to be a group is refused, and one that is a user is not', async () => {
    const value = String(await idOf('bob'));
    const path = `/Groups/${await create('Nested')}`;
    const add = (member: object): ReturnType<typeof send> =>
      send('PATCH', path, patchOf({ op: 'add', path: 'members', value: [{ value, ...member }] }));
    for (const member of [{ type: 'Group' }, { $ref: `https://x.example/scim/v2/Groups/${value}` }])
      expect(await add(member)).toMatchObject({ status: 400, json: { scimType: 'invalidValue' } });
    for (const member of [{ type: 'user' }, { $ref: null, type: null }, { $ref: `Users/${value}` }])
      expect((await add(member)).status).toBe(204);
  });

  it('who joins or leaves is named in the audit log, who stays is not', async () => {
    const { prisma } = app.services.db;
    const [ana, bob, tess] = [await idOf('ana'), await idOf('bob'), await idOf('tess')];
    const id = await create('Audited', [{ value: String(ana) }, { value: String(bob) }]);
    const objects = async (): Promise<string[]> =>
      (await prisma.auditLog.findFirstOrThrow({ orderBy: { id: 'desc' } })).objects;
    expect(await objects()).toEqual([`Dept:${id}`, `User:${ana}`, `User:${bob}`]);
    const value = [{ value: String(bob) }, { value: String(tess) }];
    await send('PATCH', `/Groups/${id}`, patchOf({ op: 'replace', path: 'members', value }));
    expect(await objects()).toEqual([`Dept:${id}`, `User:${ana}`, `User:${tess}`]);
  });
});

describe('a deleted group', () => {
  it('keeps its name from renames, which are told the way to get it back', async () => {
    await send('DELETE', `/Groups/${await create('Gone')}`);
    const rename = patchOf({ op: 'replace', path: 'displayName', value: 'GONE' });
    const answer = await send('PATCH', `/Groups/${await create('Other')}`, rename);
    expect([answer.status, answer.json['scimType'], answer.json['detail']]).toEqual([
      409,
      'uniqueness',
      'displayName: is that of a deleted group: create it again by POST',
    ]);
  });

  it('is there again when an administrator puts somebody into the department', async () => {
    const id = await create('Returning');
    await send('DELETE', `/Groups/${id}`);
    const userId = await idOf('bob');
    const { data } = await app.gql(
      'mutation ($input: UpdateUserInput!) { updateUser(input: $input) { __typename } }',
      {
        input: {
          userId: Buffer.from(`User:${userId}`).toString('base64'),
          departments: [{ name: 'Returning' }],
        },
      },
      await app.signedIn('admin'),
    );
    expect(data.updateUser.__typename).toBe('UserPayload');
    const { status, json } = await send('GET', `/Groups/${id}`);
    expect([status, json['members'].length]).toEqual([200, 1]);
  });
});

describe('a group of more members than a reply shows', () => {
  let [small, large, last] = ['', '', ''];
  beforeAll(async () => {
    const { db } = app.services;
    small = await create('Small', [{ value: String(await idOf('bob')) }]);
    large = await create('Large');
    last = await create('Last');
    const { domainId } = await db.prisma.dept.findUniqueOrThrow({ where: { id: Number(large) } });
    await db.rows(
      `INSERT INTO "user" (domain_id, login, display_name)
        SELECT ${domainId}, 'many-' || n, 'Many' FROM generate_series(1, 20001) n`,
      [],
    );
    // Without it the next statement is planned for a table of a few users, and takes many seconds.
    await db.rows('ANALYZE "user"', []);
    await db.rows(
      `INSERT INTO user_dept (user_id, dept_id)
        SELECT id, ${Number(large)} FROM "user" WHERE login LIKE 'many-%'`,
      [],
    );
  });

  it('ends the page before it, and is refused only where it comes first', async () => {
    const { totalResults, Resources: all } = (
      await send('GET', '/Groups?excludedAttributes=members&count=200')
    ).json;
    const place = all.findIndex(({ id }: any) => id === large) + 1;
    expect(all.length).toBe(totalResults);
    const page = await send('GET', '/Groups?startIndex=1&count=100');
    expect([page.status, page.json]).toMatchObject([
      200,
      { totalResults, startIndex: 1, itemsPerPage: place - 1 },
    ]);
    expect(page.json['Resources'].map(({ id }: any) => id)).toEqual(
      all.slice(0, place - 1).map(({ id }: any) => id),
    );
    expect(page.json['Resources'].at(-1)).toMatchObject({ id: small, members: [{}] });
    expect(await send('GET', `/Groups?startIndex=${place}`)).toMatchObject({
      status: 400,
      json: { scimType: 'tooMany' },
    });
    const rest = await send('GET', `/Groups?startIndex=${place + 1}`);
    expect(rest.json['Resources']).toMatchObject([{ id: last, members: [] }]);
  });

  it('can be written wherever its members are not asked for', async () => {
    const path = `/Groups/${large}`;
    const any = { 'if-match': '*' };
    expect((await send('GET', path)).json['scimType']).toBe('tooMany');
    const body = { displayName: 'Larger' };
    const put = await send('PUT', `${path}?excludedAttributes=members`, body, any);
    expect([put.status, put.json['displayName']]).toEqual([200, 'Larger']);
    const rename = patchOf({ op: 'replace', path: 'displayName', value: 'Largest' });
    expect((await send('PATCH', path, rename, any)).status).toBe(204);
    expect((await send('DELETE', path, undefined, any)).status).toBe(204);
  });
});
