import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forgetExpired } from '../../src/core/context/forget-expired.ts';
import { routes } from '../../src/server/routes/routes.ts';
import { NOON } from '../support/app.ts';
import { feed } from '../support/records.ts';
import { startTracker, TASKS, type Tracker } from '../support/tracker.ts';

const LIST = `query ($days: Int! = 30, $first: Int, $after: Cursor) {
  legacyUsage(days: $days, first: $first, after: $after) { nodes { path method client parameter hits lastSeen sunset replacement } pageInfo { hasNextPage endCursor } totalCount }
}`;

let app: Tracker;
let [ana, ada, boss]: string[] = [];
beforeAll(async () => {
  app = await startTracker();
  await app.load([feed(1)]);
  [ana, ada, boss] = [
    await app.signedIn('ana'),
    await app.signedIn('ada'),
    await app.signedIn('boss'),
  ];
});
afterAll(() => app.close());

const as = (agent: string, more: Record<string, string> = {}): RequestInit => ({
  headers: { 'user-agent': agent, ...more },
});
const table = (): Promise<(string | null)[][]> =>
  app.services.db.rows(
    'SELECT coalesce(domain_id, 0), method, path, client, parameter, hits FROM legacy_usage ORDER BY 1, 3, 2, 4, 5',
    [],
  );
async function usage(token: string | undefined, variables = {}): Promise<any> {
  await app.services.usage.flush();
  const { data, errors } = await app.gql(LIST, variables, token);
  expect(errors).toBeUndefined();
  return data.legacyUsage;
}

describe('F267 legacyUsage', () => {
  it('counts paths, parameters and clients by name, for administrators of the domain alone', async () => {
    await app.rest(
      '/task/v1/feeds/list?limit=5&status=N&status=P',
      ana,
      as('Shelf-App/3.1 (Android 14; secret)'),
    );
    app.setTime(NOON + 1_000);
    await app.rest('/task/v1/feeds/list?limit=7', ana, as('Shelf-App/3.2'));
    await app.rest('/service/rtm/getCalendarData?source_id=CALENDAR', ana, {
      method: 'POST',
      body: new URLSearchParams({ source_id: 'CALENDAR', from_date: '20270101' }),
      headers: { 'x-client-name': 'Old till' },
    });
    const { nodes, totalCount } = await usage(ada);
    const at = (ms: number): string => new Date(NOON + ms).toISOString();
    const list = {
      path: '/task/v1/feeds/{retrieve-type}',
      method: 'GET',
      client: 'Shelf-App',
      sunset: null,
      replacement: null,
    };
    const old = {
      path: '/service/rtm/getCalendarData',
      method: 'POST',
      client: 'Old till',
      hits: 1,
      lastSeen: at(1_000),
      sunset: '2028-01-01',
      replacement: '/task/v1/calendar',
    };
    expect(nodes).toEqual([
      { ...old, parameter: null },
      { ...old, parameter: 'from_date' },
      { ...old, parameter: 'source_id' },
      { ...list, parameter: null, hits: 2, lastSeen: at(1_000) },
      { ...list, parameter: 'limit', hits: 2, lastSeen: at(1_000) },
      { ...list, parameter: 'status', hits: 1, lastSeen: at(0) },
    ]);
    expect(totalCount).toBe(6);
    expect((await usage(boss)).nodes).toEqual([]);
    for (const [token, code] of [
      [ana, 'FORBIDDEN'],
      [undefined, 'UNAUTHENTICATED'],
    ] as const)
      expect((await app.gql(LIST, {}, token)).errors?.[0]?.extensions['code']).toBe(code);
  });

  it('adds to what is there, pages by keys and looks as far back as it is asked', async () => {
    await app.rest('/task/v1/feeds/list?limit=5', ana, as('Shelf-App/4'));
    const whole = await usage(ada);
    expect(whole.nodes.find(({ parameter }: any) => parameter === 'limit')).toMatchObject({
      hits: 3,
    });
    const paged: object[] = [];
    let after: string | null = null;
    do {
      const { nodes, pageInfo }: any = await usage(ada, { first: 2, after });
      paged.push(...nodes);
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    } while (after !== null);
    expect(paged).toEqual(whole.nodes);
    app.setTime(NOON + 3 * 86_400_000);
    const later = await app.signedIn('ada');
    expect((await usage(later, { days: 3 })).nodes).toEqual([]);
    expect((await usage(later, { days: 4 })).nodes).toEqual(whole.nodes);
    app.setTime(NOON + 1_000);
    for (const days of [0, 91])
      expect((await app.gql(LIST, { days }, ada)).errors?.[0]?.extensions['code']).toBe(
        'BAD_USER_INPUT',
      );
  });

  it('gives one count by its id, to administrators of the domain alone', async () => {
    const { data } = await app.gql('{ legacyUsage(first: 1) { nodes { id path hits } } }', {}, ada);
    const [first] = data.legacyUsage.nodes;
    const find = async (id: string, token?: string): Promise<unknown> =>
      (
        await app.gql(
          'query ($id: ID!) { node(id: $id) { id ... on LegacyUsage { path hits } } }',
          { id },
          token,
        )
      ).data?.node ?? null;
    expect(await find(first.id, ada)).toEqual(first);
    for (const token of [ana, boss]) expect(await find(first.id, token)).toBeNull();
    for (const key of [
      'x',
      Buffer.from('["a"]').toString('base64url'),
      Buffer.from('["a\\u0000","b","c","d"]').toString('base64url'),
    ])
      expect(await find(Buffer.from(`LegacyUsage:${key}`).toString('base64'), ada)).toBeNull();
  });

  it('keeps no value and no name that the route table does not have', async () => {
    const secrets = ['hunter2', 'secretParam', 'secretBody', 'secretPath', 'secretClient', '4711'];
    await app.rest(
      '/task/v1/feeds/list?secretParam=hunter2&feed_title=hunter2',
      ana,
      as('<secretClient>'),
    );
    await app.rest('/task/v1/feeds/secretPath', ana, as('x'.repeat(41)));
    await app.rest('/secretPath/4711?limit=1', ana);
    await app.rest('/task/v1/actions/4711/suggested-date', ana, {
      method: 'POST',
      body: new URLSearchParams({ secretBody: 'hunter2' }),
    });
    await app.rest('/api/Datasets?WORKSPACEID=hunter2', ana, as('Robot', { 'api-version': '1.0' }));
    await app.rest('/task/v1/feeds/list?pin=1', 'no session', as('secretClient/1'));
    await app.post(TASKS, { name: 'hunter2', secretBody: 'hunter2' }, { 'user-agent': 'Till/9' });
    await app.services.usage.flush();
    const rows = await table();
    for (const secret of secrets) expect(JSON.stringify(rows)).not.toContain(secret);
    const names = rows.map(([domain, ...row]) =>
      [domain === '0' ? 'none' : 'some', ...row].join(' | '),
    );
    expect(names).toEqual(
      expect.arrayContaining([
        'some | GET | /task/v1/feeds/{retrieve-type} | (unknown) | (unknown) | 1',
        'none | (unknown) | (unknown) | (unknown) |  | 1',
        'none | GET | /task/v1/feeds/{retrieve-type} | (unknown) | pin | 1',
        'some | GET | /api/Datasets | Robot | workspaceId | 1',
        'some | GET | /api/Datasets | Robot | api-version | 1',
        'some | POST | /api/task-tracker-external/tasks | Till | name | 1',
        'some | POST | /api/task-tracker-external/tasks | Till | (unknown) | 1',
      ]),
    );
    const known = new Set([
      '',
      '(unknown)',
      ...routes.flatMap(({ parameters }) => parameters.map(({ name }) => name)),
    ]);
    expect(rows.filter(([, , , , parameter]) => !known.has(parameter ?? ''))).toEqual([]);
  });

  it('counts the fields of an upload, read or refused', async () => {
    const form = new FormData();
    for (const name of ['DatasetId', 'filename', 'secretField']) form.set(name, 'hunter2');
    form.set('Image', new Blob(['hunter2']));
    expect(
      (
        await app.rest('/api/Images/addImage', ana, {
          method: 'POST',
          body: form,
          headers: { 'user-agent': 'Camera/2' },
        })
      ).json,
    ).toMatchObject({ isSuccess: false });
    await app.services.usage.flush();
    const counted = (await table())
      .filter(([, , path]) => path === '/api/Images/addImage')
      .map(([, ...row]) => row.join(' | '));
    expect(counted.sort()).toEqual(
      ['', '(unknown)', 'DatasetId', 'FileName', 'Image'].map(
        (parameter) => `POST | /api/Images/addImage | Camera | ${parameter} | 1`,
      ),
    );
  });

  it('counts at most 50 names of clients in a domain, however they come, and the rest together', async () => {
    const clients = async (): Promise<(string | null)[]> =>
      (
        await app.services.db.rows(
          "SELECT DISTINCT client FROM legacy_usage u JOIN domain d ON d.id = u.domain_id WHERE d.name = 'acme'",
          [],
        )
      ).map(([name]) => name ?? null);
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 40; i++)
        await app.rest('/task/v1/config/list', ana, as(`Bot${round}x${i}/1`));
      await app.services.usage.flush();
    }
    for (let i = 0; i < 60; i++)
      app.services.usage.note({
        domainId: null,
        method: 'GET',
        path: '/session',
        client: `c${i}`,
        parameters: [],
      });
    await app.services.usage.flush();
    expect((await clients()).filter((name) => name !== '(other)')).toHaveLength(50);
    expect(await clients()).toContain('(other)');
    const [total] = await app.services.db.rows(
      "SELECT sum(hits) FROM legacy_usage WHERE path = '/task/v1/config/list' AND parameter = ''",
      [],
    );
    expect(total).toEqual(['80']);
  });

  it('loses nothing when the database is away for a while', async () => {
    await app.services.db.rows('ALTER TABLE legacy_usage RENAME TO legacy_usage_away', []);
    await app.rest('/api/Workspaces', boss);
    await expect(app.services.usage.flush()).rejects.toThrow(/legacy_usage/);
    await app.rest('/api/Workspaces', boss);
    await app.services.db.rows('ALTER TABLE legacy_usage_away RENAME TO legacy_usage', []);
    expect((await usage(boss)).nodes).toMatchObject([
      { path: '/api/Workspaces', parameter: null, hits: 2 },
    ]);
  });

  it('forgets after 90 days', async () => {
    await forgetExpired({ ...app.services, clock: () => NOON + 89 * 86_400_000 });
    expect((await table()).length).toBeGreaterThan(0);
    await forgetExpired({ ...app.services, clock: () => NOON + 90 * 86_400_000 });
    expect(await table()).toEqual([]);
  });
});
