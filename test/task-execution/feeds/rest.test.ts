import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOON, startApp, type TestApp } from '../../support/app.ts';
import { feed, organisation } from '../../support/records.ts';

let app: TestApp;
let ana: string;
const noData = { status: 'ER', errorCode: 'E404', response: 'No data found' };

beforeAll(async () => {
  app = await startApp();
  await app.load([
    ...organisation,
    {
      record: 'config',
      scope: 'SYSTEM',
      key: 'priority_data',
      value: {
        1: { priority_desc: 'High', color: '#f00', img: 'h.svg' },
        2: { priority_desc: 'Low', color: '#00f', img: 'l.svg' },
      },
    },
    { record: 'config', scope: 'DOMAIN', domain: 'acme', key: 'overdue_date_span', value: 2 },
    {
      record: 'filter',
      domain: 'acme',
      filter_id: 'urgent',
      name: 'Urgent',
      criteria: { priorities: [1], view: 'STORE_VIEW' },
      sort: [{ field: 'FEED_TITLE', direction: 'DESC' }],
    },
    ...Array.from({ length: 45 }, (_, i) =>
      feed(i + 1, {
        end_date_time: `2026-12-${String((i % 28) + 1).padStart(2, '0')}T10:00:00Z`,
        priority: (i % 3) + 1,
      }),
    ),
    // ana's store, department and addressed groups, none of them hers
    feed(101, { owner: 'bob', unit: 'Berlin', priority: 1, feed_title: 'Store A' }),
    feed(102, { owner: 'bob', unit: 'Berlin', priority: 1, feed_title: 'Store B' }),
    feed(103, { owner: 'bob', dept: 'Logistics' }),
    feed(104, { owner: 'bob', assignments: [{ dept: 'Bakery' }] }),
    feed(105, { owner: 'bob', assignments: [{ unit: 'Berlin' }] }),
    feed(106, {
      owner: 'bob',
      assignments: [{ user: 'ana' }, { dept: 'Bakery' }, { unit: 'Berlin' }],
    }),
    feed(107, { owner: 'bob', user_states: [{ user: 'ana', follow: 1 }] }),
    feed(108, { owner: 'bob', user_states: [{ user: 'ana', watch_flag: 1 }] }),
    feed(109, { owner: 'bob', user_states: [{ user: 'ana', pin: 1 }] }),
    // confidential: home department, other department of hers, none
    feed(110, { is_confidential: true, dept: 'Bakery' }),
    feed(111, { is_confidential: true, dept: 'Logistics' }),
    feed(112, { is_confidential: true }),
    feed(113, { deleted: true }),
    // project, its tasks, an orphan task, a walk
    feed(120, { kind: 'PROJECT', feed_title: 'Project' }),
    feed(121, {
      kind: 'TASK',
      parent_feed_key: 120,
      status: 'P',
      end_date_time: '2026-11-18T11:59:59Z',
    }),
    feed(122, {
      kind: 'TASK',
      parent_feed_key: 120,
      status: 'C',
      end_date_time: '2026-11-01T00:00:00Z',
    }),
    feed(123, { kind: 'TASK', feed_title: 'Orphan', end_date_time: '2026-11-18T12:00:00Z' }),
    feed(124, { kind: 'WALK' }),
    { ...feed(900), domain: 'rival', owner: 'eve' },
  ]);
  ana = await app.signedIn('ana');
});
afterAll(() => app.close());

async function keys(query: string, path = 'list'): Promise<number[]> {
  const found: number[] = [];
  let cursor = '';
  do {
    const { json } = await app.rest(
      `/task/v1/feeds/${path}?limit=100&projections=feed_key&${query}${cursor}`,
      ana,
    );
    found.push(...(json['feed_details'] ?? []).map((item: { feed_key: number }) => item.feed_key));
    cursor = json['next_cursor'] ? `&starting_after=${json['next_cursor']}` : '';
  } while (cursor);
  return found.sort((a, b) => a - b);
}

describe('views and visibility', () => {
  const own = [...Array.from({ length: 45 }, (_, i) => i + 1), 110, 120, 123];

  it('F138 my view: owned, assigned, followed, watched, or addressed to a group of mine; each feed once', async () => {
    expect(await keys('')).toEqual([...own.slice(0, 45), 104, 105, 106, 107, 108, 110, 120, 123]);
    expect(await keys('view_type=MV')).toEqual(await keys(''));
  });

  it('F138 department and store view; an unknown view is my view, and said to be ignored', async () => {
    expect(await keys('view_type=DV')).toEqual([103, 110]);
    expect(await keys('view_type=SV')).toEqual([101, 102]);
    expect(await keys('view_type=TV')).toEqual(await keys(''));
    const { headers } = await app.rest('/task/v1/feeds/list?view_type=TV', ana);
    expect(headers.get('x-ignored-parameters')).toBe('view_type');
  });

  it('F139 task view: one row for each task', async () => {
    expect(await keys('task_view=T')).toEqual([121, 122, 123]);
  });

  it('F172 list/tasks forces the task view under my view, whatever is sent', async () => {
    expect(await keys('view_type=SV&task_view=P', 'list/tasks')).toEqual([121, 122, 123]);
  });

  it('F173 list/tasks pages, projects, sorts and refuses as list does', async () => {
    const first = await app.rest(
      '/task/v1/feeds/list/tasks?limit=2&projections=feed_title&sort_by=feedTitle&sort_order=D',
      ana,
    );
    expect(first.json['feed_details']).toEqual([
      { feed_key: 123, feed_title: 'Orphan' },
      { feed_key: 122, feed_title: 'Feed 122' },
    ]);
    expect(first.json['has_more']).toBe(true);
    const both = await app.rest('/task/v1/feeds/list/tasks?starting_after=a&ending_before=b', ana);
    expect(both.json['errorCode']).toBe('E112');
  });

  it('shows nothing of another domain, deleted, or confidential to departments that are not home', async () => {
    for (const view of ['MV', 'DV', 'SV']) {
      const seen = await keys(`view_type=${view}`);
      for (const hidden of [111, 112, 113, 900]) expect(seen).not.toContain(hidden);
    }
  });
});

describe('paging', () => {
  it('F112 F118 F119 F148 F149 F150 F151 F155 F156 walks forward and back with exact ends', async () => {
    const page = async (query: string): Promise<Record<string, any>> =>
      (await app.rest(`/task/v1/feeds/list?limit=20&${query}`, ana)).json;
    const p1 = await page('');
    const p2 = await page(`starting_after=${p1['next_cursor']}`);
    const p3 = await page(`starting_after=${p2['next_cursor']}`);
    const shape = (p: Record<string, any>): unknown[] => [
      p['feed_details'].length,
      p['previous_cursor'] !== null,
      p['next_cursor'] !== null,
      p['has_more'],
    ];
    expect([p1, p2, p3].map(shape)).toEqual([
      [20, false, true, true],
      [20, true, true, true],
      [13, true, false, false],
    ]);
    const back2 = await page(`ending_before=${p3['previous_cursor']}`);
    expect(back2['feed_details']).toEqual(p2['feed_details']);
    expect(shape(back2)).toEqual([20, true, true, true]);
    const back1 = await page(`ending_before=${back2['previous_cursor']}`);
    expect(back1['feed_details']).toEqual(p1['feed_details']);
    expect(shape(back1)).toEqual([20, false, true, false]);
    expect(p1['last_fetch_time']).toBe(NOON);
  });

  it('F006 F008 F164 an empty page behind a cursor is no data', async () => {
    const last = await app.rest('/task/v1/feeds/list?limit=100', ana);
    const end = Buffer.from(
      JSON.stringify([
        1,
        JSON.parse(
          Buffer.from(
            (await app.rest('/task/v1/feeds/list?limit=1', ana)).json['next_cursor'],
            'base64url',
          ).toString(),
        )[1],
        ['9999-12-31 23:59:59+00', '9007199254740991'],
      ]),
    ).toString('base64url');
    expect(last.status).toBe(200);
    const behind = await app.rest(`/task/v1/feeds/list?starting_after=${end}`, ana);
    expect([behind.status, behind.json]).toEqual([200, noData]);
    expect(behind.headers.get('x-error-code')).toBe('E404');
  });

  it.each([
    ['absent', '', 20],
    ['empty', 'limit=', 20],
    ['a word', 'limit=abc', 20],
    ['a fraction', 'limit=10.5', 20],
    ['an exponent', 'limit=1e2', 20],
    ['zero', 'limit=0', 20],
    ['negative', 'limit=-5', 20],
    ['one', 'limit=1', 1],
    ['over', 'limit=101', 53],
    ['enormous', 'limit=99999999999999999999', 53],
  ])('F117 F154 limit %s', async (_, query, expected) => {
    expect((await app.rest(`/task/v1/feeds/list?${query}`, ana)).json['feed_details']).toHaveLength(
      expected,
    );
  });

  it('F153 both cursors are E112, an empty one counts as absent, and E112 comes before E901', async () => {
    const refused = await app.rest('/task/v1/feeds/list?starting_after=x&ending_before=y', ana);
    expect([refused.status, refused.json['errorCode']]).toEqual([400, 'E112']);
    const odd = await app.rest('/task/v1/feeds/list?starting_after=%00&ending_before=%00', ana);
    expect(odd.json['errorCode']).toBe('E112');
    const one = await app.rest('/task/v1/feeds/list?starting_after=&ending_before=', ana);
    expect(one.json['status']).toBe('OK');
  });

  it('D-22 reads a stored zone that is none as UTC', async () => {
    const zone = (value: string | null): Promise<unknown> =>
      app.services.db.rows(`UPDATE "user" SET time_zone_long = $1 WHERE login = 'ana'`, [value]);
    const [[before = null] = []] = await app.services.db.rows(
      `SELECT time_zone_long FROM "user" WHERE login = 'ana'`,
      [],
    );
    await zone('PST');
    try {
      const token = await app.signedIn('ana');
      const { data } = await app.gql('{ viewer { timeZone } }', {}, token);
      expect(data.viewer.timeZone).toBe('UTC');
      expect((await app.rest('/task/v1/feeds/list?limit=1', token)).status).toBe(200);
    } finally {
      await zone(before);
    }
  });

  it.each([
    ['text', 'garbage!'],
    ['other base64', 'aGVsbG8'],
    ['truncated', 'trim'],
    ['another order', 'sort'],
    ['another version', 'version'],
    ['values of another type', 'type'],
    ['an impossible time', 'time'],
    ['a day that no month has', 'day'],
    ['a day of the year 0', 'year'],
    ['too long', 'x'.repeat(8_000)],
    ['NUL', '%00'],
  ])('E901 for a cursor that is %s', async (_, kind) => {
    const { next_cursor: cursor } = (await app.rest('/task/v1/feeds/list?limit=1', ana)).json;
    const [version, digest, values] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const encode = (value: unknown): string =>
      Buffer.from(JSON.stringify(value)).toString('base64url');
    const forged: Record<string, string> = {
      trim: cursor.slice(0, -5),
      sort: cursor,
      version: encode([2, digest, values]),
      type: encode([version, digest, [1, 'x']]),
      time: encode([version, digest, ['2026-13-45 10:00:00+00', '1']]),
      day: encode([version, digest, ['2026-02-30 10:00:00+00', '1']]),
      year: encode([version, digest, ['0000-02-01 10:00:00+00', '1']]),
    };
    const query = kind === 'sort' ? '&sort_by=priority' : '';
    const answer = await app.rest(
      `/task/v1/feeds/list?starting_after=${forged[kind] ?? kind}${query}`,
      ana,
    );
    expect([answer.status, answer.json['errorCode']]).toEqual([
      kind.length === 8_000 ? 414 : 400,
      kind.length === 8_000 ? 'E900' : 'E901',
    ]);
  });

  it('F143 F144 sorts by every documented column in both directions; duplicates, unknown columns and odd directions are forgiven and said', async () => {
    for (const column of [
      'profileId',
      'endDateTime',
      'priority',
      'startDateTime',
      'feedTitle',
      'feedTypeId',
      'feed_title',
      'PRIORITY',
    ]) {
      const ascending = await app.rest(
        `/task/v1/feeds/list?limit=100&projections=feed_key&sort_by=${column}`,
        ana,
      );
      const descending = await app.rest(
        `/task/v1/feeds/list?limit=100&projections=feed_key&sort_by=${column}&sort_order=D`,
        ana,
      );
      expect(descending.json['feed_details']).toEqual(
        [...ascending.json['feed_details']].reverse(),
      );
    }
    const odd = await app.rest(
      '/task/v1/feeds/list?limit=3&projections=priority&sort_by=priority,colour,priority&sort_order=x,A,D,D',
      ana,
    );
    expect(odd.json['feed_details'].map((item: { priority: number }) => item.priority)).toEqual([
      1, 1, 1,
    ]);
    expect(odd.headers.get('x-ignored-parameters')).toBe('sort_order, sort_by');
  });

  it('F146 a system filter replaces the filter parameters and brings its order; one that does not resolve matches nothing', async () => {
    const titles = async (query: string): Promise<string[]> =>
      (
        (await app.rest(`/task/v1/feeds/list?projections=feed_title&${query}`, ana)).json[
          'feed_details'
        ] ?? []
      ).map((item: { feed_title: string }) => item.feed_title);
    expect(await titles('filter_id=urgent&priority=3&pin=1')).toEqual(['Store B', 'Store A']);
    expect(await titles('filter_id=urgent&sort_by=feedTitle')).toEqual(['Store A', 'Store B']);
    for (const id of ['none', '%00', '%20', 'urgent%00'])
      expect(await titles(`filter_id=${id}&priority=3`)).toEqual([]);
    const { headers } = await app.rest('/task/v1/feeds/list?filter_id=%00', ana);
    expect(headers.get('x-ignored-parameters')).toBe('filter_id');
    for (const path of ['list', 'list-latest', 'list/tasks']) {
      const replaced = await app.rest(
        `/task/v1/feeds/${path}?filter_id=urgent&pin=x&priority=3&view_type=SV&limit=5&from_time=0`,
        ana,
        { headers: { prefer: 'handling=strict' } },
      );
      expect(replaced.status, path).toBe(200);
      expect(replaced.headers.get('x-ignored-parameters')?.split(', ').sort(), path).toEqual([
        ...(path === 'list-latest' ? ['limit', 'pin'] : ['from_time', 'pin']).sort(),
        'priority',
        'view_type',
      ]);
    }
  });

  it('F172 D-37 list/tasks names the views that it forces', async () => {
    const { headers } = await app.rest(
      '/task/v1/feeds/list/tasks?view_type=TV&task_view=P&priority=3',
      ana,
    );
    expect(headers.get('x-ignored-parameters')).toBe('view_type, task_view');
  });

  it('D-13 projections that only hold a NUL give feed_key alone, and are named', async () => {
    const { json, headers } = await app.rest('/task/v1/feeds/list?limit=1&projections=%00', ana);
    expect(Object.keys(json['feed_details'][0])).toEqual(['feed_key']);
    expect(headers.get('x-ignored-parameters')).toBe('projections');
  });
});

describe('errors and conventions', () => {
  it('F011 F012 one answer for a session token that is missing, malformed or unknown', async () => {
    const answers = await Promise.all(
      [undefined, 'x', 'A'.repeat(43)].map((token) => app.rest('/task/v1/feeds/list', token)),
    );
    for (const { status, json } of answers)
      expect([status, json]).toEqual([
        401,
        { status: 'ER', errorCode: 'E202', response: 'Session token missing or invalid' },
      ]);
  });

  it('F009 F110 F111 E111 for any other retrieve-type, case-sensitive, after the session check', async () => {
    for (const type of ['List', 'COUNT', 'all', 'list%20', '%00']) {
      expect(
        (await app.rest(`/task/v1/feeds/${type}?starting_after=a&ending_before=b`, ana)).json[
          'errorCode'
        ],
      ).toBe('E111');
      expect((await app.rest(`/task/v1/feeds/${type}`)).json['errorCode']).toBe('E202');
    }
  });

  it('D-54 unknown paths are 404, wrong methods 405 with Allow', async () => {
    const unknown = await app.rest('/task/v1/nothing', ana);
    expect([unknown.status, unknown.json]).toEqual([
      404,
      { status: 'ER', errorCode: 'E404', response: 'Unknown path' },
    ]);
    const wrong = await app.rest('/task/v1/feeds/list', ana, { method: 'POST' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect((await app.rest('/task/v1/feeds/list', undefined, { method: 'OPTIONS' })).status).toBe(
      204,
    );
    const head = await app.rest('/task/v1/feeds/list', ana, { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
  });

  it('F005 identity sent by the client changes nothing and is said to be ignored', async () => {
    const names = [
      'domain_id',
      'user_id',
      'unit_id',
      'dept_id',
      'profile_id',
      'time_zone_long',
      'lang_code',
    ];
    const plain = await app.rest('/task/v1/feeds/list', ana);
    const sent = await app.rest(
      `/task/v1/feeds/list?${names.map((name) => `${name}=2`).join('&')}`,
      ana,
    );
    expect(sent.json).toEqual(plain.json);
    expect(sent.headers.get('x-ignored-parameters')).toBe(names.join(', '));
    expect(
      (
        await app.rest('/task/v1/feeds/list?domain_id=2', ana, {
          headers: { prefer: 'handling=strict' },
        })
      ).status,
    ).toBe(200);
  });

  it('P8 says what was ignored; strict handling refuses it, all at once', async () => {
    const query = '/task/v1/feeds/list?pin=7&priority=1,x&bogus=1&start_date=20260101&status=Q';
    const lenient = await app.rest(query, ana);
    expect(lenient.json).toEqual(noData);
    expect(lenient.headers.get('x-ignored-parameters')).toBe(
      'pin, status, priority, bogus, start_date',
    );
    const strict = await app.rest(query, ana, { headers: { prefer: 'handling=strict' } });
    expect(strict.status).toBe(400);
    expect(strict.json['errorCode']).toBe('E900');
    expect(strict.headers.get('preference-applied')).toBe('handling=strict');
    expect(lenient.headers.get('preference-applied')).toBeNull();
    for (const name of ['pin', 'priority', 'bogus', 'status'])
      expect(strict.json['response']).toContain(`${name}: `);
    expect(strict.json['response']).not.toContain('start_date');
    const fine = await app.rest('/task/v1/feeds/list?pin=-1', ana, {
      headers: { prefer: 'return=minimal, handling="strict"' },
    });
    expect([fine.status, fine.headers.get('preference-applied')]).toEqual([200, 'handling=strict']);
  });

  it('P8 names parameters as libraries of forms spell lists; but none that would look like two, or that no header holds', async () => {
    const { headers } = await app.rest(
      '/task/v1/feeds/list?status%5B%5D=N&filter%5Bpin%5D=1&projections=feed_title,*&a,b=1&%C3%A4=1&a%20b=1',
      ana,
    );
    expect(headers.get('x-ignored-parameters')).toBe('projections, status[], filter[pin]');
    expect(headers.get('x-ignored-projections')).toBe('*');
  });

  it('F003 F004 F010 F198 success and error bodies, request id and interface version', async () => {
    const answer = await app.rest('/task/v1/feeds/list', ana, {
      headers: { 'x-request-id': 'client-chosen-1' },
    });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('x-request-id')).toBe('client-chosen-1');
    expect(answer.headers.get('x-interface-version')).toBe('1.0.0');
    expect(Object.keys(answer.json)).toEqual([
      'status',
      'feed_details',
      'next_cursor',
      'previous_cursor',
      'has_more',
      'last_fetch_time',
    ]);
  });
});

it('F014 D-71 a gateway key header is left to the gateway in front: it changes nothing', async () => {
  const plain = await app.rest('/task/v1/feeds/list', ana);
  for (const name of ['x-api-key', 'api-key', 'x-gateway-key'])
    expect(
      (await app.rest('/task/v1/feeds/list', ana, { headers: { [name]: 'anything' } })).json,
    ).toEqual(plain.json);
});

describe('count', () => {
  const count = (query: string): ReturnType<TestApp['rest']> =>
    app.rest(`/task/v1/feeds/count?${query}`, ana);

  it('F120 F121 F157 F158 E114 before E115, for absent, empty and malformed dates', async () => {
    for (const bad of ['', 'start_date=', 'start_date=2026-11-01', 'start_date=20260230'])
      expect((await count(bad)).json['errorCode']).toBe('E114');
    for (const bad of ['', '&end_date=', '&end_date=x', '&end_date=20261301'])
      expect((await count(`start_date=20261101${bad}`)).json['errorCode']).toBe('E115');
  });

  it('F113 F159 D-38 every configured priority, ascending, others appended, and a total that is their sum', async () => {
    const { json } = await count('start_date=20261201&end_date=20261215');
    expect(json).toEqual({
      status: 'OK',
      count_data: {
        priorities: [
          { priority: 1, priority_desc: 'High', count: 10 },
          { priority: 2, priority_desc: 'Low', count: 10 },
          { priority: 3, priority_desc: null, count: 10 },
        ],
        total: 30,
      },
    });
    expect(
      (await count('start_date=20261201&end_date=20261215&priority=2')).json['count_data']
        .priorities[0],
    ).toEqual({ priority: 1, priority_desc: 'High', count: 0 });
  });

  it('D-02 D-21 nothing to count is no data, also when the end is before the start', async () => {
    expect((await count('start_date=20300101&end_date=20300102')).json).toEqual(noData);
    expect((await count('start_date=20261215&end_date=20261201')).json).toEqual(noData);
  });

  it('F115 parameters of other modes are ignored and said so', async () => {
    const answer = await count(
      'start_date=20261201&end_date=20261215&limit=1&selected_dates=20260101&starting_after=a&ending_before=b&filter_id=none',
    );
    expect(answer.json['count_data'].total).toBe(30);
    expect(answer.headers.get('x-ignored-parameters')).toBe(
      'limit, starting_after, ending_before, selected_dates, filter_id',
    );
  });
});

describe('status', () => {
  it('F169 D-50 an open feed is overdue when its end lies more than the configured days back; filters and counters agree', async () => {
    const { json } = await app.rest(
      '/task/v1/feeds/list/tasks?projections=status&sort_by=endDateTime',
      ana,
    );
    expect(json['feed_details']).toEqual([
      { feed_key: 122, status: 'C' },
      { feed_key: 121, status: 'O' },
      { feed_key: 123, status: 'N' },
    ]);
    expect(await keys('status=O', 'list/tasks')).toEqual([121]);
    expect(await keys('status=P,N', 'list/tasks')).toEqual([123]);
    expect(await keys('status=o, c', 'list/tasks')).toEqual([121, 122]);
    const project = await app.rest(
      '/task/v1/feeds/list?projections=task_count,overdue_task_count,feed_task_count&feed_title=project',
      ana,
    );
    expect(project.json['feed_details']).toEqual([
      { feed_key: 120, task_count: 1, overdue_task_count: 1, feed_task_count: 2 },
    ]);
  });
});
