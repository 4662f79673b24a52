import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ENTERPRISE,
  GROUP,
  patchOf,
  startScimApp,
  USER,
  type ScimApp,
} from '../../support/scim.ts';

let app: ScimApp;
const send: ScimApp['acme']['send'] = (...args) => app.acme.send(...args);
beforeAll(async () => void (app = await startScimApp()));
afterAll(() => app.close());

const idOf = async (login: string): Promise<number> =>
  (await app.services.db.prisma.user.findUniqueOrThrow({ where: { login } })).id;
const deptOf = async (name: string): Promise<number> =>
  (
    await app.services.db.prisma.dept.findFirstOrThrow({
      where: { name, domain: { name: 'acme' } },
    })
  ).id;
const usersBy = async (filter: string): Promise<string[]> => {
  const { json } = await send('GET', `/Users?${new URLSearchParams({ filter })}`);
  return json['Resources'].map((user: any) => user.userName);
};

describe('a version', () => {
  it('saves reading a user again, and refuses a write that did not know of another one', async () => {
    const path = `/Users/${await idOf('bob')}`;
    const { headers, json } = await send('GET', path);
    const etag = headers.get('etag')!;
    expect(etag).toBe(json['meta'].version);
    const again = await send('GET', path, undefined, { 'if-none-match': etag });
    expect([again.status, again.text]).toEqual([304, '']);
    const change = (name: string, ifMatch: string): Promise<any> =>
      send('PATCH', path, patchOf({ op: 'replace', path: 'displayName', value: name }), {
        'if-match': ifMatch,
      });
    const first = await change('Bob A.', etag);
    expect(first.status).toBe(200);
    expect(await change('Bob B.', etag)).toMatchObject({ status: 412, json: { status: '412' } });
    expect((await send('PUT', path, { userName: 'bob' }, { 'if-match': etag })).status).toBe(412);
    expect((await send('DELETE', path, undefined, { 'if-match': etag })).status).toBe(412);
    expect((await change('Bob C.', `"x", ${first.headers.get('etag')!}`)).status).toBe(200);
    expect((await change('Bob D.', '*')).status).toBe(200);
    expect(
      (await send('GET', path, undefined, { 'if-none-match': etag })).json['displayName'],
    ).toBe('Bob D.');
  });

  it('of a group changes with its members', async () => {
    const path = `/Groups/${await deptOf('Bakery')}`;
    const etag = (await send('GET', path)).headers.get('etag')!;
    const value = [{ value: String(await idOf('bob')) }];
    const add = patchOf({ op: 'add', path: 'members', value });
    expect((await send('PATCH', path, add, { 'if-match': etag })).status).toBe(204);
    expect((await send('PATCH', path, add, { 'if-match': etag })).status).toBe(412);
    expect((await send('DELETE', path, undefined, { 'if-match': etag })).status).toBe(412);
    expect((await send('GET', path, undefined, { 'if-none-match': etag })).status).toBe(200);
    expect(
      (await send('PATCH', path, patchOf({ op: 'remove', path: 'members', value }))).status,
    ).toBe(204);
    expect((await send('GET', path, undefined, { 'if-none-match': etag })).status).toBe(304);
  });
});

describe('pages', () => {
  it('together are all users, each once, in the order of ids, whatever their size', async () => {
    const all = (await send('GET', '/Users?count=200')).json['Resources'].map(({ id }: any) => id);
    expect(all).toEqual([...all].sort((a, b) => a - b));
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: -1, max: 9 }),
        fc.integer({ min: -2, max: 9 }),
        async (start, count) => {
          const { json } = await send('GET', `/Users?startIndex=${start}&count=${count}`);
          const from = Math.max(1, start);
          const ids = json['Resources'].map(({ id }: any) => id);
          expect(ids).toEqual(all.slice(from - 1, from - 1 + Math.max(0, count)));
          expect(json).toMatchObject({
            totalResults: all.length,
            startIndex: from,
            itemsPerPage: ids.length,
          });
        },
      ),
      { numRuns: 30 },
    );
  });

  it('are bounded', async () => {
    expect(
      (await send('GET', '/Users?count=999999999999')).json['itemsPerPage'],
    ).toBeLessThanOrEqual(200);
    expect((await send('GET', '/Users?startIndex=999999999999')).json['Resources']).toEqual([]);
    expect((await send('GET', '/Users?count=many')).status).toBe(400);
  });
});

describe('a filter', () => {
  const odd = ['%', '_', '\\', 'a%b', 'a_b', 'axb', 'ab\\', '"', "'", 'ä', 'a%bc'];
  beforeAll(async () => {
    for (const externalId of odd)
      expect(
        (
          await send('POST', '/Users', {
            userName: `odd-${odd.indexOf(externalId)}`,
            displayName: externalId.toUpperCase(),
            externalId,
          })
        ).status,
      ).toBe(201);
  });

  it('finds by eq, sw, co and ew what has the text there, letter by letter', async () => {
    const tests = {
      eq: (a: string, b: string) => a === b,
      sw: (a: string, b: string) => a.startsWith(b),
      co: (a: string, b: string) => a.includes(b),
      ew: (a: string, b: string) => a.endsWith(b),
    };
    const operator = fc.constantFrom('eq', 'sw', 'co', 'ew');
    await fc.assert(
      fc.asyncProperty(
        operator,
        fc.constantFrom(...odd, 'b', 'ab'),
        fc.boolean(),
        async (op, text, byName) => {
          const attribute = byName ? 'displayName' : 'externalId';
          const found = await usersBy(
            `userName sw "ODD-" and ${attribute} ${op} ${JSON.stringify(text)}`,
          );
          const expected = odd.flatMap((one, index) =>
            tests[op](one, text) ? [`odd-${index}`] : [],
          );
          expect(found).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('joins by and, or and brackets, and asks by pr whether there is a value', async () => {
    expect(await usersBy('userName eq "ana" or userName eq "bob"')).toEqual(['ana', 'bob']);
    expect(await usersBy('userName sw "a" and (userName eq "ana" or userName eq "bob")')).toEqual([
      'ana',
    ]);
    expect(await usersBy('(externalId pr and userName sw "odd-0")')).toEqual(['odd-0']);
    expect(await usersBy(`${USER}:userName eq "ana" and active eq "True"`)).toEqual(['ana']);
    expect(
      await usersBy(
        `${ENTERPRISE}:department eq "berlin" and groups.value eq "${await deptOf('Bakery')}"`,
      ),
    ).toContain('ana');
  });

  it.each([
    'userName',
    'userName gt "a"',
    'userName eq',
    'userName eq bob',
    'userName eq "bob" and',
    'userName eq "bob" or or',
    'userName eq "bob',
    'userName eq "\\x"',
    'userName eq "bob")',
    '(userName eq "bob"',
    'not (userName eq "bob")',
    'password eq "x"',
    '__proto__ eq "x"',
    'userName eq true',
    'active eq "maybe"',
    'emails[type eq "work"',
    'userName eq "\\u0000"',
    'userName eq "\\ud800"',
    '',
    '"',
    `${'('.repeat(50)}userName eq "a"${')'.repeat(50)}`,
    Array.from({ length: 40 }, () => 'userName eq "a"').join(' or '),
    `userName eq "${'a'.repeat(2_000)}"`,
  ])('that is not understood is refused: %s', async (filter) => {
    for (const path of ['/Users', '/Groups']) {
      const { status, json } = await send('GET', `${path}?${new URLSearchParams({ filter })}`);
      expect([status, json['scimType']]).toEqual([400, 'invalidFilter']);
    }
  });

  it('made of anything never fails', async () => {
    const piece = fc.constantFrom(
      'userName',
      'emails',
      '[',
      ']',
      '(',
      ')',
      'eq',
      'pr',
      'and',
      'or',
      '"a"',
      '"',
      '.value',
      'true',
      '\\',
      '%00',
      'not',
      ' ',
      'urn:ietf:params:scim:schemas:core:2.0:User:',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const { status } = await send(
          'GET',
          `/Users?${new URLSearchParams({ filter: pieces.join(' ') })}`,
        );
        expect([200, 400]).toContain(status);
      }),
      { numRuns: 60 },
    );
  });
});

it('attributes and excludedAttributes say what comes back, by names in any case', async () => {
  const path = `/Users/${await idOf('ana')}`;
  const keys = async (query: string): Promise<string[]> =>
    Object.keys((await send('GET', `${path}?${query}`)).json).sort();
  expect(await keys('attributes=USERNAME')).toEqual(['id', 'schemas', 'userName']);
  expect(await keys(`attributes=${USER}:active,name.familyname`)).toEqual([
    'active',
    'id',
    'name',
    'schemas',
  ]);
  expect(await keys(`attributes=${ENTERPRISE}:department`)).toEqual(
    ['id', 'schemas', ENTERPRISE].sort(),
  );
  expect(await keys('excludedAttributes=groups,meta,id')).not.toContain('groups');
  const list = await send('GET', '/Users?attributes=userName&count=1');
  expect(Object.keys(list.json['Resources'][0]).sort()).toEqual(['id', 'schemas', 'userName']);
});

describe('another domain', () => {
  it('is not there: its users and groups are neither listed, read, changed nor made members', async () => {
    const { acme, rival } = app;
    const [ana, bakery] = [await idOf('ana'), await deptOf('Bakery')];
    const seen = await rival.send('GET', '/Users?count=200');
    expect(JSON.stringify(seen.json)).not.toContain('"ana"');
    expect(
      (await rival.send('GET', `/Users?filter=${encodeURIComponent(`id eq "${ana}"`)}`)).json[
        'totalResults'
      ],
    ).toBe(0);
    const named = encodeURIComponent('userName eq "ana"');
    expect((await rival.send('GET', `/Users?filter=${named}`)).json['totalResults']).toBe(0);
    const change = patchOf({ op: 'replace', path: 'displayName', value: 'X' });
    for (const path of [`/Users/${ana}`, `/Groups/${bakery}`]) {
      for (const method of ['GET', 'DELETE'])
        expect((await rival.send(method, path)).status).toBe(404);
      expect((await rival.send('PATCH', path, change)).status).toBe(404);
      expect((await rival.send('PUT', path, { userName: 'x', displayName: 'x' })).status).toBe(404);
      expect((await acme.send('GET', path)).status).toBe(200);
    }
    const group = await rival.send('POST', '/Groups', { displayName: 'Office', members: [] });
    expect(group.status).toBe(201);
    const add = patchOf({ op: 'add', path: 'members', value: [{ value: String(ana) }] });
    const refused = await rival.send('PATCH', `/Groups/${group.json['id']}`, add);
    expect([refused.status, refused.json['scimType']]).toEqual([400, 'invalidValue']);
    const unit = { [ENTERPRISE]: { department: 'Boston' }, userName: 'r' };
    expect((await rival.send('POST', '/Users', unit)).json['scimType']).toBe('invalidValue');
    // Logins are unique over all domains: that one is taken is all that is told.
    expect((await rival.send('POST', '/Users', { userName: 'ana' })).json).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '409',
      scimType: 'uniqueness',
      detail: 'userName: is taken',
    });
  });
});

describe('disabling', () => {
  it('ends sessions and calendar addresses for good', async () => {
    const tess = await idOf('tess');
    const session = await app.signedIn('tess');
    const { data } = await app.gql(
      'mutation { createCalendarSubscription(input: {}) { ... on CreateCalendarSubscriptionPayload { icsUrl } } }',
      {},
      session,
    );
    const calendar = new URL(data.createCalendarSubscription.icsUrl).pathname;
    expect((await app.rest(calendar)).status).toBe(200);
    for (const active of [false, true])
      await send('PATCH', `/Users/${tess}`, patchOf({ op: 'replace', value: { active } }));
    expect((await app.rest(calendar)).status).toBe(404);
    expect((await app.rest('/task/v1/feeds/list', session)).status).toBe(401);
  });

  it('is refused for the last administrator of the domain, however it is asked for', async () => {
    const admin = await idOf('admin');
    for (const [method, body] of [
      ['PATCH', patchOf({ op: 'Replace', path: 'active', value: 'False' })],
      ['PUT', { userName: 'admin', active: false }],
      ['DELETE', undefined],
    ] as const) {
      const { status, json } = await send(method, `/Users/${admin}`, body);
      expect([status, json['scimType'], json['detail']]).toEqual([
        400,
        'mutability',
        'user: is the last administrator of the domain',
      ]);
    }
    expect((await send('GET', `/Users/${admin}`)).json['active']).toBe(true);
  });

  it('of a user whom a directory deleted ends when an administrator or an import enables them', async () => {
    const id = await idOf('odd-0');
    const status = async (): Promise<number> => (await send('GET', `/Users/${id}`)).status;
    const enable = 'mutation ($id: ID!) { enableUser(input: { userId: $id }) { __typename } }';
    const userId = Buffer.from(`User:${id}`).toString('base64');
    await send('DELETE', `/Users/${id}`);
    expect(await status()).toBe(404);
    await app.gql(enable, { id: userId }, await app.signedIn('admin'));
    expect(await status()).toBe(200);
    await send('DELETE', `/Users/${id}`);
    await app.load([{ record: 'user', domain: 'acme', login: 'odd-0', disabled: false }]);
    expect(await status()).toBe(200);
  });
});

describe('wrong input is refused with the reason', () => {
  it.each([
    ['POST', '/Users', {}, 'invalidValue'],
    ['POST', '/Users', [], 'invalidSyntax'],
    ['POST', '/Users', { userName: '' }, 'invalidValue'],
    ['POST', '/Users', { userName: 'two words' }, 'invalidValue'],
    ['POST', '/Users', { userName: 'x'.repeat(201) }, 'invalidValue'],
    ['POST', '/Users', { userName: 7 }, 'invalidValue'],
    ['POST', '/Users', { userName: 'n', active: 'perhaps' }, 'invalidValue'],
    ['POST', '/Users', { userName: 'n', displayName: 'a\0b' }, 'invalidValue'],
    ['POST', '/Users', { userName: 'n', timezone: 'Mars/Phobos' }, 'invalidValue'],
    ['POST', '/Users', { userName: 'n', locale: 'no such' }, 'invalidValue'],
    ['POST', '/Users', { userName: 'n', [ENTERPRISE]: { department: 'Atlantis' } }, 'invalidValue'],
    ['POST', '/Groups', {}, 'invalidValue'],
    ['POST', '/Groups', { displayName: ' ' }, 'invalidValue'],
    ['POST', '/Groups', { displayName: 'G', members: [{ value: 'x' }] }, 'invalidValue'],
    ['POST', '/Groups', { displayName: 'G', members: [{ value: '2147483647' }] }, 'invalidValue'],
    ['PATCH', 'user', {}, 'invalidSyntax'],
    ['PATCH', 'user', { Operations: [] }, 'invalidSyntax'],
    ['PATCH', 'user', patchOf({ op: 'move', path: 'active' }), 'invalidSyntax'],
    ['PATCH', 'user', patchOf({ op: 'remove' }), 'noTarget'],
    ['PATCH', 'user', patchOf({ op: 'replace', value: 7 }), 'invalidValue'],
    ['PATCH', 'user', patchOf({ op: 'replace', path: 'shoeSize', value: 7 }), 'invalidPath'],
    ['PATCH', 'user', patchOf({ op: 'replace', path: 'emails[', value: 7 }), 'invalidPath'],
    ['PATCH', 'user', patchOf({ op: 'replace', path: '__proto__', value: {} }), 'invalidPath'],
    ['PATCH', 'user', patchOf({ op: 'replace', path: 'id', value: '9' }), 'mutability'],
    ['PATCH', 'user', patchOf({ op: 'add', path: 'groups', value: [] }), 'mutability'],
    ['PATCH', 'user', patchOf({ op: 'remove', path: 'userName' }), 'invalidValue'],
    ['PATCH', 'group', patchOf({ op: 'add', path: 'members[value eq "1"]' }), 'invalidPath'],
    ['PATCH', 'group', patchOf({ op: 'remove', path: 'members[display co "1"]' }), 'invalidPath'],
    ['PATCH', 'group', patchOf({ op: 'remove', path: 'displayName' }), 'invalidValue'],
    ['PATCH', 'group', patchOf({ op: 'replace', path: 'active', value: 1 }), 'invalidPath'],
  ] as const)('%s %s %j', async (method, path, body, scimType) => {
    const target =
      path === 'user'
        ? `/Users/${await idOf('bob')}`
        : path === 'group'
          ? `/Groups/${await deptOf('Bakery')}`
          : path;
    const { status, headers, json } = await send(method, target, body);
    expect([status, json]).toEqual([
      400,
      {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '400',
        scimType,
        detail: expect.any(String),
      },
    ]);
    expect(headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
  });

  it('what is too large, of another type, or a path or method that is not there', async () => {
    const bakery = `/Groups/${await deptOf('Bakery')}`;
    const many = (length: number): object[] =>
      Array.from({ length }, (_, index) => ({ value: String(index + 1) }));
    const add = patchOf({ op: 'add', path: 'members', value: many(5_001) });
    expect(await send('PATCH', bakery, add)).toMatchObject({
      status: 413,
      json: { status: '413' },
    });
    const operations = Array.from({ length: 1_001 }, () => ({ op: 'add', value: {} }));
    expect((await send('PATCH', bakery, patchOf(...operations))).status).toBe(400);
    const large = { userName: 'x', title: 'x'.repeat(1_100_000) };
    expect(await send('POST', '/Users', large)).toMatchObject({
      status: 413,
      json: { status: '413' },
    });
    const asText = await send('POST', '/Users', {}, { 'content-type': 'text/plain' });
    expect(asText).toMatchObject({ status: 415, json: { status: '415' } });
    expect(await send('POST', '/Bulk', {})).toMatchObject({ status: 404, json: { status: '404' } });
    expect(await send('PUT', '/Users', {})).toMatchObject({ status: 405, json: { status: '405' } });
    expect((await send('POST', '/Users')).json['scimType']).toBe('invalidSyntax');
  });

  it('a group of a name that is taken', async () => {
    const { json, status } = await send('POST', '/Groups', { displayName: 'BAKERY' });
    expect([status, json['scimType'], json['detail']]).toEqual([
      409,
      'uniqueness',
      'displayName: is taken',
    ]);
  });
});

it('says what it supports, and shows its schemas and types', async () => {
  const { json: config } = await send('GET', '/ServiceProviderConfig');
  expect(config).toMatchObject({
    patch: { supported: true },
    bulk: { supported: false },
    filter: { supported: true, maxResults: 200 },
    etag: { supported: true },
    meta: { location: `${app.url}/scim/v2/ServiceProviderConfig` },
  });
  const { json: schemas } = await send('GET', '/Schemas');
  const { json: types } = await send('GET', '/ResourceTypes');
  expect(types['Resources'].map(({ endpoint }: any) => endpoint)).toEqual(['/Users', '/Groups']);
  for (const resource of [...schemas['Resources'], ...types['Resources']]) {
    const path = resource.meta.location.replace(`${app.url}/scim/v2`, '');
    expect((await send('GET', path)).json).toEqual(resource);
  }
  expect(schemas['Resources'].map(({ id }: any) => id)).toEqual([USER, ENTERPRISE, GROUP]);
  expect((await send('GET', '/Schemas/nothing')).status).toBe(404);
});

it('what is said of SCIM itself is not filtered, and its references say to what they lead', async () => {
  for (const path of [
    '/ServiceProviderConfig',
    '/Schemas',
    '/ResourceTypes',
    '/ResourceTypes/User',
  ])
    expect((await send('GET', `${path}?filter=x`)).status, path).toBe(403);
  const { json } = await send('GET', '/Schemas');
  const attributes = json['Resources'].flatMap((schema: any) => schema.attributes);
  expect(attributes.map(({ name }: any) => name)).not.toContain('externalId');
  const references = attributes
    .flatMap(({ subAttributes = [] }: any) => subAttributes)
    .filter(({ type }: any) => type === 'reference');
  expect(references.map(({ referenceTypes }: any) => referenceTypes)).toEqual([
    ['Group'],
    ['User'],
  ]);
});

it('an unknown parameter is ignored, or refused with Prefer: handling=strict, on every path', async () => {
  const strict = { prefer: 'handling=strict' };
  for (const path of [
    ...['/Users', '/Groups', '/ServiceProviderConfig'],
    ...['/Schemas', `/Schemas/${USER}`, '/ResourceTypes', '/ResourceTypes/User'],
  ]) {
    const answers = [
      await send('GET', `${path}?other=1`),
      await send('GET', `${path}?other=1`, undefined, strict),
      await send('GET', path, undefined, strict),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200]);
  }
});

it('whatever operations a PATCH holds, it is done or refused', async () => {
  const paths = [
    ...['active', 'userName', 'name', 'name.givenName', 'emails', 'emails[type eq "work"].value'],
    ...['members', 'members[value eq "1"]', 'displayName', 'externalId', 'locale', 'timezone', ''],
    ...[
      ENTERPRISE,
      `${ENTERPRISE}:department`,
      '__proto__',
      'constructor',
      'name[',
      'phoneNumbers',
    ],
  ];
  const value = fc.oneof(
    fc.constantFrom('True', true, null, '', '1', [], [{ value: '1' }], [{ value: 1 }], [[]], 'a\0'),
    fc.dictionary(fc.constantFrom(...paths), fc.jsonValue({ maxDepth: 2 }), {
      noNullPrototype: true,
    }),
    fc.jsonValue({ maxDepth: 3 }),
  );
  const operation = fc.record(
    { op: fc.constantFrom('add', 'Replace', 'REMOVE'), path: fc.constantFrom(...paths), value },
    { requiredKeys: ['op'] },
  );
  const { json: user } = await send('POST', '/Users', { userName: 'fuzzed' });
  const { json: group } = await send('POST', '/Groups', { displayName: 'Fuzzed' });
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(operation, { minLength: 1, maxLength: 4 }),
      async (isUser, operations) => {
        const target = isUser ? `/Users/${user['id']}` : `/Groups/${group['id']}`;
        const answer = await send('PATCH', target, patchOf(...operations));
        expect([200, 204, 400, 409], answer.text).toContain(answer.status);
        if (isUser && answer.status === 200)
          expect((await send('PUT', target, answer.json)).json).toEqual(answer.json);
      },
    ),
    { numRuns: 150 },
  );
});

it('each write leaves one entry in the audit log, with the token, without what was written', async () => {
  const { prisma } = app.services.db;
  const last = (await prisma.auditLog.aggregate({ _max: { id: true } }))._max.id ?? 0n;
  const created = await send('POST', '/Users', {
    userName: 'canary-1',
    displayName: 'canary-2',
    emails: [{ value: 'canary-3' }],
  });
  const { id } = created.json;
  await send('PATCH', `/Users/${id}`, patchOf({ op: 'replace', value: { active: false } }));
  await send('PATCH', `/Users/${id}`, patchOf({ op: 'replace', path: 'userName', value: 'ana' }));
  await send('DELETE', `/Users/${id}`);
  const found = await prisma.auditLog.findMany({
    where: { id: { gt: last } },
    orderBy: { id: 'asc' },
  });
  const token = await prisma.scimToken.findFirstOrThrow({ where: { domain: { name: 'acme' } } });
  const all = {
    actor: `scim:${token.id}`,
    surface: 'REST',
    domainId: token.domainId,
    objects: [`User:${id}`],
    userId: null,
  };
  expect(found).toMatchObject([
    { ...all, action: 'createScimUser', outcome: 'DONE' },
    { ...all, action: 'patchScimUser', outcome: 'DONE' },
    { ...all, action: 'patchScimUser', outcome: 'REFUSED', code: 'VALIDATION_ERROR' },
    { ...all, action: 'deleteScimUser', outcome: 'DONE' },
  ]);
  expect(JSON.stringify(found, (_, one) => (typeof one === 'bigint' ? '' : one))).not.toContain(
    'canary',
  );
});
