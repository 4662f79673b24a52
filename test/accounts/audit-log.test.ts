import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { auditEntries, type AuditFilter } from '../../src/accounts/audit/audit.sql.ts';
import { listBeyond, listLength, listPage } from '../../src/core/lists/list.sql.ts';
import { NOON, startApp, type TestApp } from '../support/app.ts';
import { planOf } from '../support/plans.ts';
import { feed, organisation } from '../support/records.ts';

let app: TestApp;
let ana: string;
let admin: string;
let boss: string;
beforeAll(async () => {
  app = await startApp();
  const person = { record: 'user', permissions: ['DOMAIN_ADMIN'] };
  await app.load([
    ...organisation,
    { ...person, domain: 'acme', login: 'ada' },
    { ...person, domain: 'rival', login: 'boss' },
    feed(1),
    feed(2),
  ]);
  [ana, admin, boss] = [
    await app.signedIn('ana'),
    await app.signedIn('ada'),
    await app.signedIn('boss'),
  ];
});
afterAll(() => app.close());

const LOG = `query ($days: Int! = 30, $user: String, $operation: String, $object: ID, $first: Int, $after: Cursor, $last: Int, $before: Cursor) {
  viewer { auditLog(days: $days, user: $user, operation: $operation, object: $object, first: $first, after: $after, last: $last, before: $before) {
    totalCount
    nodes { id at actor login surface operation objects detail address requestId outcome code times }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  } }
}`;
const log = async (filter: object = {}, token = admin): Promise<any> => {
  const { data, errors } = await app.gql(LOG, filter, token);
  expect(errors).toBeUndefined();
  return data.viewer.auditLog;
};
const feedId = (key: number): string => Buffer.from(`Feed:${key}`).toString('base64');
const pin = (token: string, key = 1): Promise<any> =>
  app.gql(
    'mutation ($id: ID!) { setFeedState(input: { feedIds: [$id], pinned: true }) { __typename } }',
    { id: feedId(key) },
    token,
    { 'x-request-id': `pin-feed-${key}` },
  );
const deleteWorkspace = (token: string | undefined, id: string): Promise<any> =>
  app.rest('/api/Workspaces/delete', token, {
    method: 'POST',
    body: JSON.stringify({ workspaceId: id }),
    headers: { 'content-type': 'application/json' },
  });
const workspaceId = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

describe('viewer.auditLog', () => {
  it('says who did what to which object, from where, in which request', async () => {
    await pin(ana);
    const id = (await app.services.db.prisma.user.findUniqueOrThrow({ where: { login: 'ana' } }))
      .id;
    expect((await log({ operation: 'setFeedState' })).nodes).toEqual([
      {
        id: expect.any(String),
        at: new Date(NOON).toISOString(),
        actor: `user:${id}`,
        login: 'ana',
        surface: 'GRAPHQL',
        operation: 'setFeedState',
        objects: ['Feed:1'],
        detail: null,
        address: expect.stringContaining('127.0.0.1'),
        requestId: 'pin-feed-1',
        outcome: 'DONE',
        code: null,
        times: 1,
      },
    ]);
  });

  it('filters by user, operation, object and days, and is read in pages from both ends', async () => {
    await pin(admin, 2);
    const objects = async (filter: object): Promise<string[]> =>
      (await log({ operation: 'setFeedState', ...filter })).nodes.map((one: any) => one.objects[0]);
    expect(await objects({})).toEqual(['Feed:2', 'Feed:1']);
    expect(await objects({ user: 'ANA' })).toEqual(['Feed:1']);
    expect(await objects({ user: 'eve' })).toEqual([]);
    expect(await objects({ object: feedId(2) })).toEqual(['Feed:2']);
    expect(await objects({ object: 'Feed:1' })).toEqual(['Feed:1']);
    expect(await objects({ operation: 'import' })).toEqual([undefined]);
    const first = await log({ operation: 'setFeedState', first: 1 });
    expect(first).toMatchObject({
      totalCount: 2,
      nodes: [{ objects: ['Feed:2'] }],
      pageInfo: { hasNextPage: true, hasPreviousPage: false },
    });
    const next = { operation: 'setFeedState', first: 1, after: first.pageInfo.endCursor };
    expect(await log(next)).toMatchObject({
      nodes: [{ objects: ['Feed:1'] }],
      pageInfo: { hasNextPage: false, hasPreviousPage: true },
    });
    expect((await log({ operation: 'setFeedState', last: 1 })).nodes).toMatchObject([
      { objects: ['Feed:1'] },
    ]);
    app.setTime(NOON + 2 * 86_400_000);
    const later = await app.signedIn('ada');
    expect((await log({ days: 1, operation: 'setFeedState' }, later)).nodes).toEqual([]);
    expect((await log({ days: 3, operation: 'setFeedState' }, later)).nodes).toHaveLength(2);
    app.setTime(NOON);
    for (const days of [0, 401])
      expect((await app.gql(LOG, { days }, admin)).errors).toMatchObject([
        { extensions: { legacyCode: 'E900' } },
      ]);
  });

  it('finds nothing for, or refuses, what names nothing', async () => {
    const odd = Buffer.from('Feed:\0').toString('base64');
    for (const filter of [{ object: odd }, { user: '\0' }, { operation: 'x'.repeat(201) }])
      expect((await app.gql(LOG, filter, admin)).errors).toMatchObject([
        { extensions: { legacyCode: 'E900' } },
      ]);
    expect((await log({ object: 'nonsense' })).nodes).toEqual([]);
  });

  it('is for administrators, of their own domain alone; that somebody else asked is on record too', async () => {
    const { id } = (await log({ first: 1 })).nodes[0];
    const node = 'query ($id: ID!) { node(id: $id) { id ... on AuditEntry { operation } } }';
    expect((await app.gql(node, { id }, admin)).data.node).toMatchObject({ id });
    for (const token of [ana, boss])
      expect((await app.gql(node, { id }, token)).data.node).toBeNull();
    expect((await app.gql(LOG, {}, ana)).errors).toMatchObject([
      { extensions: { code: 'FORBIDDEN' } },
    ]);
    // That of a read is written beside the answer.
    await app.services.audit.flush();
    expect((await log({ operation: 'read' })).nodes).toMatchObject([
      { login: 'ana', outcome: 'REFUSED', code: 'FORBIDDEN', detail: 'DOMAIN_ADMIN' },
    ]);
    const foreign = (await log({ first: 100 }, boss)).nodes;
    expect(foreign.map((one: any) => one.operation)).toEqual(
      expect.arrayContaining(['import', 'createSession']),
    );
    expect(JSON.stringify(foreign)).not.toMatch(/"(ana|ada)"|Feed:/);
  });

  it('has failed sign-ins with the user whom they are about, not as an act of that user', async () => {
    const login = 'mutation ($input: SignInInput!) { signIn(input: $input) { expiresAt } }';
    await app.gql(login, { input: { login: 'ana', password: 'wrong' } }, boss);
    await app.gql(login, { input: { login: 'ana', password: 'secret of ana' } });
    const ofAna = (await log({ operation: 'signIn' })).nodes;
    expect(ofAna).toMatchObject([
      { login: 'ana', outcome: 'DONE', code: null },
      { actor: 'unknown', login: null, outcome: 'REFUSED', code: 'UNAUTHENTICATED' },
    ]);
    expect(ofAna[0].objects).toEqual(ofAna[1].objects);
    expect((await log({ operation: 'signIn' }, boss)).nodes).toEqual([]);
  });
});

describe('an entry', () => {
  it('is part of the transaction of its write', async () => {
    const { db } = app.services;
    const create = (): Promise<any> =>
      app.gql(
        'mutation { createWorkspace(input: { name: "atomic" }) { ... on CreateWorkspacePayload { workspace { uuid } } } }',
        {},
        ana,
      );
    const count = (): Promise<number> => db.prisma.workspace.count({ where: { name: 'atomic' } });
    await db.rows(
      `CREATE FUNCTION refuse_audit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''full''; END'`,
      [],
    );
    await db.rows(
      `CREATE TRIGGER refuse_audit BEFORE INSERT ON audit_log FOR EACH ROW WHEN (NEW.action = 'createWorkspace') EXECUTE FUNCTION refuse_audit()`,
      [],
    );
    expect((await create()).errors).toHaveLength(1);
    expect(await count()).toBe(0);
    await db.rows('DROP TRIGGER refuse_audit ON audit_log', []);
    const { data } = await create();
    expect(await count()).toBe(1);
    expect((await log({ operation: 'createWorkspace' })).nodes).toMatchObject([
      { objects: [`Workspace:${data.createWorkspace.workspace.uuid}`] },
    ]);
  });

  it('names what its operation is about, whatever else the request holds', async () => {
    const foreign = Array.from({ length: 150 }, (_, n) => `feed-key=${n}&projectid=${n}`).join('&');
    await app.rest(`/api/Datasets/delete?${foreign}`, admin, {
      method: 'POST',
      body: JSON.stringify({ datasetId: workspaceId(7) }),
      headers: { 'content-type': 'application/json' },
    });
    const [entry] = (await log({ operation: 'deleteDataset', user: 'ada' })).nodes;
    expect(entry.objects).toEqual([`Dataset:${workspaceId(7)}`]);
  });

  it('is found by its object among few entries of it and among many', async () => {
    const add = (many: number): Promise<unknown> =>
      app.services.db.rows(
        `INSERT INTO audit_log (at, domain_id, actor, surface, action, objects)
         SELECT to_timestamp($1::double precision / 1000) - n * interval '1 second', d.id, 'operator', 'COMMAND', 'test', '{Feed:9}' FROM domain d, generate_series(1, $2::int) n WHERE d.name = 'acme'`,
        [NOON, many],
      );
    const pages = async (): Promise<unknown[]> => {
      const first = await log({ object: 'Feed:9', first: 2 });
      const next = await log({ object: 'Feed:9', first: 1, after: first.pageInfo.endCursor });
      return [...first.nodes, ...next.nodes].map(({ at }: any) => at);
    };
    await add(3);
    const few = await pages();
    expect(few).toEqual([1, 2, 3].map((ago) => new Date(NOON - ago * 1000).toISOString()));
    await app.services.db.rows(`DELETE FROM audit_log WHERE action = 'test'`, []);
    await add(10_001);
    expect(await pages()).toEqual(few);
    await app.services.db.rows(`DELETE FROM audit_log WHERE action = 'test'`, []);
  });

  describe('by its statements', () => {
    const addTests = async (domain: string): Promise<void> => {
      await app.services.db.rows(
        `INSERT INTO audit_log (at, domain_id, actor, surface, action)
         SELECT to_timestamp($1::double precision / 1000) - n * interval '1 second', d.id, 'operator', 'COMMAND', 'test' FROM domain d, generate_series(1, 20000) n WHERE d.name = $2`,
        [NOON, domain],
      );
      await app.services.db.rows('VACUUM ANALYZE audit_log', []);
    };
    afterEach(async () => {
      await app.services.db.rows(`DELETE FROM audit_log WHERE action = 'test'`, []);
      await app.services.db.rows('ANALYZE audit_log', []);
    });

    const queryOf = (filter: AuditFilter) =>
      auditEntries.query(
        filter,
        (row) => row,
        () => [],
      );
    /** The statements for pages from an end, or from a position, in both directions. */
    const pagesOf = (filter: AuditFilter, position: string[] | undefined) =>
      [listPage, listBeyond].flatMap((statement) =>
        [true, false].map((backward) =>
          statement.build({ query: queryOf(filter), page: { limit: 10, backward }, position }),
        ),
      );
    it('of a domain of few entries is not looked for among those of all', async () => {
      await addTests('rival');
      for (const operation of [undefined, 'signIn']) {
        const filter = { since: new Date(0), domainId: 1, operation };
        const pages = [undefined, ['2026-01-01 00:00:00+00', '1']].flatMap((position) =>
          pagesOf(filter, position),
        );
        for (const statement of [...pages, listLength.build({ query: queryOf(filter) })])
          expect(JSON.stringify(await planOf(app.services.db, statement))).toContain(
            'audit_log_domain_id_',
          );
      }
    });

    it('is read from where a page begins', async () => {
      await addTests('acme');
      const middle = [new Date(NOON - 10_000_000).toISOString().replace('Z', '+00'), '1'];
      for (const statement of pagesOf(
        { since: new Date(NOON - 20_000_000), domainId: 1 },
        middle,
      )) {
        const plan = await planOf(app.services.db, statement);
        expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(40);
      }
    });
  });

  it('is left by each of the mutations of one document', async () => {
    await app.gql(
      'mutation { a: setCalendarNote(input: { date: "2026-11-20", note: "x" }) { __typename } b: setCalendarNote(input: { date: "2026-11-21", note: "x" }) { __typename } }',
      {},
      ana,
    );
    expect((await log({ operation: 'setCalendarNote' })).totalCount).toBe(2);
  });
});

describe('refusals', () => {
  const rows = () =>
    app.services.db.prisma.auditLog.findMany({
      where: { action: 'deleteWorkspace' },
      orderBy: { id: 'asc' },
    });

  it('of the same kind are one entry an hour, with a count', async () => {
    for (let n = 0; n < 50; n++) await deleteWorkspace(ana, workspaceId(1));
    await Promise.all(Array.from({ length: 50 }, () => deleteWorkspace(undefined, workspaceId(1))));
    await app.services.audit.flush();
    expect(await rows()).toMatchObject([
      { times: 50, code: 'NOT_FOUND', objects: [`Workspace:${workspaceId(1)}`] },
      { times: 50, code: 'UNAUTHENTICATED', actor: 'unknown', domainId: null },
    ]);
    await app.services.audit.flush();
    app.setTime(NOON + 3_600_000);
    await deleteWorkspace(ana, workspaceId(1));
    expect((await rows()).map(({ times }) => times)).toEqual([50, 50, 1]);
    app.setTime(NOON);
  });

  it('are counted once, also where two write the counts at the same moment', async () => {
    for (let n = 0; n < 5; n++) await deleteWorkspace(admin, workspaceId(2));
    await Promise.all([app.services.audit.flush(), app.services.audit.flush()]);
    expect((await rows()).at(-1)).toMatchObject({ times: 5 });
    for (let n = 0; n < 5; n++) await deleteWorkspace(admin, workspaceId(2));
    await app.services.audit.flush();
    expect((await rows()).at(-1)).toMatchObject({ times: 10 });
  });

  it('of different objects do not fill the database either: from the hundredth on, the object is left out', async () => {
    const before = (await rows()).length;
    for (let n = 0; n < 150; n++) await deleteWorkspace(boss, workspaceId(n));
    await app.services.audit.flush();
    const found = (await rows()).slice(before);
    expect(found.length).toBeLessThanOrEqual(101);
    expect(found.reduce((sum, { times }) => sum + times, 0)).toBe(150);
    expect(found.at(-1)).toMatchObject({ objects: [], times: 150 - found.length + 1 });
  });

  it('of strangers name no objects, however many they send, and are told apart by the domain they are about', async () => {
    const signIn = (text: string): ReturnType<TestApp['rest']> =>
      app.rest('/session', undefined, {
        method: 'POST',
        body: text,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    const many = Array.from({ length: 990 }, (_, n) => `feed-key=${n}`).join('&');
    expect((await signIn(many)).status).toBe(400);
    for (const login of ['nobody', 'boss', 'ana', 'boss'])
      await signIn(`login=${login}&password=wrong&${many}`);
    await app.services.audit.flush();
    const found = await app.services.db.prisma.auditLog.findMany({
      where: { action: 'signIn', surface: 'REST' },
      orderBy: { id: 'asc' },
    });
    expect(found.map(({ objects, times }) => [objects.length, times])).toEqual([
      [0, 1],
      [0, 1],
      [1, 2],
      [1, 1],
    ]);
    expect(new Set(found.map(({ domainId }) => domainId)).size).toBe(3);
  });
});
