import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeChangeCursor } from '../../../src/task-execution/change-log/change-position.ts';
import { checkChangeLog } from '../../../src/task-execution/changes/keep-change-log.ts';
import { pruneChanges } from '../../../src/task-execution/changes/prune-changes.ts';
import { sweepOverdue } from '../../../src/task-execution/changes/sweep-overdue.ts';
import { freshDatabase, NOON, startApp, type RestAnswer, type TestApp } from '../../support/app.ts';
import { hasServer } from '../../support/migrated.ts';
import { feed, organisation } from '../../support/records.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
let app: TestApp;
let ana: string;
let bob: string;

beforeAll(async () => {
  app = await startApp();
  await app.load([
    ...organisation,
    { record: 'config', scope: 'DOMAIN', domain: 'acme', key: 'feed_refresh_rate', value: 45_000 },
    { record: 'config', scope: 'DOMAIN', domain: 'acme', key: 'overdue_date_span', value: 2 },
    {
      record: 'filter',
      domain: 'acme',
      filter_id: 'urgent',
      name: 'Urgent',
      criteria: { priorities: [1] },
      sort: [],
    },
    feed(1, { priority: 1 }),
    feed(2, { priority: 2 }),
    feed(3, { owner: 'bob', assignments: [{ dept: 'Bakery' }] }),
    feed(4, { owner: 'bob' }),
    feed(5, { owner: 'bob', dept: 'Bakery' }),
    { ...feed(900), domain: 'rival', owner: 'eve' },
  ]);
  // As if all had been in their departments for long: whoever came since from_time has to reload.
  await sql(`DELETE FROM change_log WHERE op = 'M'`);
  [ana, bob] = [await app.signedIn('ana'), await app.signedIn('bob')];
});
afterAll(() => app.close());

async function latest(
  query = '',
  headers: Record<string, string> = {},
  token = ana,
): Promise<RestAnswer> {
  return app.rest(`/task/v1/feeds/list-latest?projections=status,pin,priority&${query}`, token, {
    headers,
  });
}
async function sql(text: string, params: unknown[] = []): Promise<void> {
  await app.services.db.pool.query(text, params);
}
const keysOf = (answer: RestAnswer): number[] =>
  (answer.json['feed_list_latest'] ?? []).map((item: any) => item.feed_key);
const removedOf = (answer: RestAnswer): number[] =>
  (answer.headers.get('x-removed-feed-keys') ?? '').split(',').filter(Boolean).map(Number);
const resume = (answer: RestAnswer): Record<string, string> => ({
  'x-resume-cursor': answer.headers.get('x-resume-cursor') ?? '',
});
/** Skips what has changed so far, runs the change, and polls. */
async function after(change: () => Promise<unknown>, query = '', token = ana): Promise<RestAnswer> {
  const before = await drained(token);
  await change();
  return latest(query, resume(before), token);
}
async function drained(token = ana): Promise<RestAnswer> {
  let answer = await latest('from_time=0', {}, token);
  while (answer.headers.get('x-result-truncated')) answer = await latest('', resume(answer), token);
  return answer;
}

describe('F114 list-latest', () => {
  it('F162 the first fetch returns what the window holds, with status and headers', async () => {
    const answer = await latest();
    expect(answer).toMatchObject({ status: 200, json: { status: 'OK' } });
    expect(keysOf(answer)).toEqual([1, 2, 3]);
    expect(Object.keys(answer.json)).toEqual(['status', 'feed_list_latest']);
    expect(Object.keys(answer.json['feed_list_latest'][0])).toEqual([
      'feed_key',
      'status',
      'priority',
      'pin',
    ]);
    expect(answer.headers.get('x-next-poll-after')).toBe('45000');
    expect(answer.headers.get('x-last-fetch-time')).toBe(String(NOON));
    expect(answer.headers.get('x-result-truncated')).toBeNull();
  });

  it('F118 nothing new is E404, and still says where to go on', async () => {
    const answer = await latest('', resume(await latest()));
    expect(answer.json).toEqual({ status: 'ER', errorCode: 'E404', response: 'No data found' });
    expect(answer.headers.get('x-resume-cursor')).toBeTruthy();
  });

  it('returns each changed feed once, in its present state, the newest change last', async () => {
    const answer = await after(async () => {
      await sql(`UPDATE feed SET status = 'R' WHERE feed_key = 1`);
      await sql(`UPDATE feed SET status = 'R' WHERE feed_key = 2`);
      await sql(`UPDATE feed SET status = 'P' WHERE feed_key = 1`);
    });
    expect(answer.json['feed_list_latest']).toMatchObject([
      { feed_key: 2, status: 'R' },
      { feed_key: 1, status: 'P' },
    ]);
  });

  it('D-52 an update that changes nothing is no change', async () => {
    expect(
      keysOf(await after(() => sql(`UPDATE feed SET status = status WHERE feed_key = 1`))),
    ).toEqual([]);
  });

  it('an import logs a feed that it writes once, however many have marked it, and a mark alone for its user', async () => {
    const marked = (pins: Record<string, 0 | 1>, other = {}): object =>
      feed(50, {
        ...other,
        user_states: Object.entries(pins).map(([user, pin]) => ({ user, pin })),
      });
    const logged = async (record: object): Promise<[number[], string[]]> => {
      const entries = `SELECT string_agg(op, '' ORDER BY seq) AS ops FROM change_log WHERE feed_key = 50`;
      const { rows: before } = await app.services.db.pool.query<{ ops: string | null }>(entries);
      const answer = await after(() => app.load([record]));
      const { rows } = await app.services.db.pool.query<{ ops: string }>(entries);
      return [keysOf(answer), [...(rows[0]?.ops ?? '').slice((before[0]?.ops ?? '').length)]];
    };
    expect(await logged(marked({ ana: 1, bob: 1 }))).toEqual([[50], ['U']]);
    expect(await logged(marked({ ana: 1, bob: 0 }))).toEqual([[], ['S']]);
    expect(await logged(marked({ ana: 0, bob: 1 }))).toEqual([[50], ['S', 'S']]);
    expect(await logged(marked({ ana: 1 }, { priority: 3 }))).toEqual([[50], ['U']]);
    expect(await logged(marked({ ana: 0 }, { tags: ['new'] }))).toEqual([[50], ['U']]);
    expect(await logged(marked({ ana: 0 }))).toEqual([[], []]);
    await sql(`UPDATE feed SET deleted_at = now() WHERE feed_key = 50`);
  });

  it('F137 shows no feed of others and of no other domain', async () => {
    const answer = await after(() =>
      sql(`UPDATE feed SET priority = 7 WHERE feed_key IN (4, 900)`),
    );
    expect(keysOf(answer)).toEqual([]);
    expect(removedOf(answer)).toEqual([]);
  });

  it('D-53 a state of mine is a change for me alone', async () => {
    const pin = (): Promise<unknown> =>
      app.gql(
        `mutation { setFeedState(input: { feedIds: ["${Buffer.from('Feed:3').toString('base64')}"], pinned: true }) { __typename } }`,
        {},
        ana,
      );
    const before = await latest('', {}, bob);
    const answer = await after(pin);
    expect(answer.json['feed_list_latest']).toMatchObject([{ feed_key: 3, pin: 1 }]);
    expect(keysOf(await latest('', resume(before), bob))).toEqual([]);
    expect(keysOf(await after(pin))).toEqual([]);
  });

  it('tells of assignments, follows and new feeds', async () => {
    expect(
      keysOf(
        await after(() =>
          sql(
            `INSERT INTO feed_assignment (feed_key, user_id) SELECT 4, id FROM "user" WHERE login = 'ana'`,
          ),
        ),
      ),
    ).toEqual([4]);
    expect(
      removedOf(await after(() => sql(`DELETE FROM feed_assignment WHERE feed_key = 4`))),
    ).toEqual([4]);
    const flag = (follow: boolean): Promise<void> =>
      sql(
        `INSERT INTO feed_user_state (user_id, feed_key, follow, updated_at) SELECT id, 4, $1, now() FROM "user" WHERE login = 'ana' ON CONFLICT (user_id, feed_key) DO UPDATE SET follow = excluded.follow`,
        [follow],
      );
    expect(keysOf(await after(() => flag(true)))).toEqual([4]);
    expect(removedOf(await after(() => flag(false)))).toEqual([4]);
    expect(keysOf(await after(() => app.load([feed(10)])))).toEqual([10]);
  });

  it('D-45 names feeds that are deleted, or that became confidential or somebody else’s', async () => {
    expect(removedOf(await after(() => app.load([feed(10, { deleted: true })])))).toEqual([10]);
    expect(keysOf(await after(() => app.load([feed(10, { deleted: false })])))).toEqual([10]);
    expect(removedOf(await after(() => sql('DELETE FROM feed WHERE feed_key = 10')))).toEqual([10]);
    expect(
      removedOf(
        await after(() => sql('UPDATE feed SET is_confidential = true WHERE feed_key = 3')),
      ),
    ).toEqual([3]);
    expect(
      keysOf(await after(() => sql('UPDATE feed SET is_confidential = false WHERE feed_key = 3'))),
    ).toEqual([3]);
    const give = (login: string): Promise<void> =>
      sql(
        `UPDATE feed SET owner_user_id = (SELECT id FROM "user" WHERE login = $1) WHERE feed_key = 2`,
        [login],
      );
    const answer = await after(() => give('bob'));
    expect([keysOf(answer), removedOf(answer)]).toEqual([[], [2]]);
    expect(keysOf(await after(() => give('ana')))).toEqual([2]);
  });

  it('F124 feed_keys, filters, filter_id and today_from narrow the answer; what leaves the filter is named', async () => {
    const touch = (): Promise<void> =>
      sql('UPDATE feed SET version = version + 1 WHERE feed_key IN (1, 2, 3)');
    expect(keysOf(await after(touch, 'feed_keys=2,x,3')).sort()).toEqual([2, 3]);
    expect(keysOf(await after(touch, 'feed_keys=x'))).toEqual([]);
    expect(keysOf(await after(touch, 'priority=1'))).toEqual([1]);
    expect(keysOf(await after(touch, 'filter_id=urgent'))).toEqual([1]);
    expect(keysOf(await after(touch, 'filter_id=none'))).toEqual([]);
    expect(keysOf(await after(touch, 'filter_id=%00'))).toEqual([]);
    expect(keysOf(await after(touch, 'view_type=DV'))).toEqual([]);
    const answer = await after(
      () => sql('UPDATE feed SET priority = 5 WHERE feed_key = 1'),
      'priority=1',
    );
    expect([keysOf(answer), removedOf(answer)]).toEqual([[], [1]]);
    await sql('UPDATE feed SET priority = 1, end_at = $1 WHERE feed_key = 1', [
      new Date(NOON - HOUR),
    ]);
    expect(keysOf(await after(touch, `today_from=${NOON}`)).sort()).toEqual([2, 3]);
    expect(keysOf(await after(touch, `today_from=${NOON - 2 * HOUR}`)).sort()).toEqual([1, 2, 3]);
    await sql('UPDATE feed SET end_at = NULL WHERE feed_key = 1');
  });

  it('F116 names the parameters that do not count in this mode', async () => {
    const { headers } = await latest(
      'limit=5&starting_after=x&start_date=20260101&cut_off_time=1&sort_by=priority&return_type=X',
    );
    expect(headers.get('x-ignored-parameters')?.split(', ').sort()).toEqual([
      'cut_off_time',
      'limit',
      'return_type',
      'sort_by',
      'start_date',
      'starting_after',
    ]);
  });
});

describe('F160 E116', () => {
  it('D-40 exactly the maximum refresh interval ago is answered, one millisecond more is not; 0 is the first fetch', async () => {
    expect((await latest(`from_time=${NOON - DAY}`)).status).toBe(200);
    const refused = await latest(`from_time=${NOON - DAY - 1}`);
    expect(refused).toMatchObject({ status: 400, json: { status: 'ER', errorCode: 'E116' } });
    expect(refused.json['response']).toMatch(/reload with list/);
    expect((await latest('from_time=1')).json).toMatchObject({ errorCode: 'E116' });
    expect((await latest('from_time=0')).status).toBe(200);
    expect((await latest('from_time=abc')).headers.get('x-ignored-parameters')).toBe('from_time');
  });

  it('D-40 a domain may configure another interval', async () => {
    await app.load([
      {
        record: 'config',
        scope: 'DOMAIN',
        domain: 'acme',
        key: 'max_refresh_interval',
        value: HOUR,
      },
    ]);
    expect((await latest(`from_time=${NOON - HOUR}`)).status).toBe(200);
    expect((await latest(`from_time=${NOON - HOUR - 1}`)).json).toMatchObject({
      errorCode: 'E116',
    });
    await sql(`DELETE FROM config_entry WHERE key = 'max_refresh_interval'`);
  });

  it('a time that the clock told before it was set back is as long ago as it is', async () => {
    const own = await startApp({ now: NOON });
    try {
      await own.load([...organisation, feed(1), feed(2)]);
      await own.services.db.pool.query(`DELETE FROM change_log WHERE op = 'M'`);
      const token = await own.signedIn('ana');
      const path = '/task/v1/feeds/list-latest?projections=status';
      const first = await own.rest(path, token);
      expect(first.headers.get('x-last-fetch-time')).toBe(String(NOON));
      own.setTime(NOON - HOUR);
      await own.services.db.pool.query('UPDATE feed SET priority = 7 WHERE feed_key = 2');
      // An hour ahead of the clock now, and then as if it were of this moment.
      for (const now of [NOON - HOUR, NOON]) {
        own.setTime(now);
        const next = await own.rest(`${path}&from_time=${NOON}`, token);
        expect(keysOf(next)).toContain(2);
      }
      const future = await own.rest(`${path}&from_time=${NOON + HOUR}`, token);
      expect(future.json['errorCode']).toBe('E404');
    } finally {
      await own.close();
    }
  });

  it('a time in the future has nothing yet', async () => {
    for (const time of [NOON + 1, '9007199254740993', '9223372036854775807']) {
      const { headers, json } = await latest(`from_time=${time}`);
      expect([json['errorCode'], headers.has('x-ignored-parameters')]).toEqual(['E404', false]);
    }
  });

  it('E901 for a position that is damaged, E116 for one of another log', async () => {
    expect(await latest('', { 'x-resume-cursor': 'abc' })).toMatchObject({
      status: 400,
      json: { errorCode: 'E901' },
    });
    const other = Buffer.from(JSON.stringify([1, 'ffffffff', '9:9:'])).toString('base64url');
    expect(await latest('', { 'x-resume-cursor': other })).toMatchObject({
      status: 400,
      json: { errorCode: 'E116' },
    });
  });

  it('F012 E202 comes first', async () => {
    expect(await latest('from_time=1', {}, 'x')).toMatchObject({
      status: 401,
      json: { errorCode: 'E202' },
    });
  });

  it('whoever changes department has to reload', async () => {
    const answer = await after(
      () =>
        sql(`DELETE FROM user_dept WHERE user_id = (SELECT id FROM "user" WHERE login = 'bob')`),
      '',
      bob,
    );
    expect(answer).toMatchObject({ status: 400, json: { errorCode: 'E116' } });
    expect((await latest('from_time=0', {}, bob)).status).toBe(200);
  });

  it.each([
    ['department', { login: 'tess', depts: [{ name: 'Logistics' }] }],
    ['the time zone of their unit', { record: 'unit', name: 'Boston', time_zone: 'Asia/Tokyo' }],
    ['unit', { login: 'tess', unit: 'Berlin' }],
    ['their time zone', { login: 'tess', time_zone_long: 'Asia/Tokyo' }],
  ])('whoever changes %s without a session has to reload with the next one', async (_, change) => {
    const last = await drained(await app.signedIn('tess'));
    await sql(`DELETE FROM session WHERE user_id = (SELECT id FROM "user" WHERE login = 'tess')`);
    await app.load([{ record: 'user', domain: 'acme', ...change }]);
    const tess = await app.signedIn('tess');
    expect(await latest('', resume(last), tess)).toMatchObject({
      status: 400,
      json: { errorCode: 'E116' },
    });
  });
});

describe('F123 from_time', () => {
  it(
    'returns what was committed since, with an overlap of 5 s, and no longer what is older',
    { timeout: 20_000 },
    async () => {
      await sql(`UPDATE feed SET priority = 8 WHERE feed_key = 1`);
      expect(keysOf(await latest(`from_time=${NOON}`))).toContain(1);
      await new Promise((resolve) => setTimeout(resolve, 8_500));
      await sql(`UPDATE feed SET priority = 9 WHERE feed_key = 2`);
      expect(keysOf(await latest(`from_time=${NOON}`))).toEqual([2]);
      expect(keysOf(await latest(`from_time=${NOON - 10_000}`))).toEqual(
        expect.arrayContaining([1, 2]),
      );
    },
  );
});

describe('F161 size', () => {
  it('D-42 at most 1,000 objects; the rest comes behind X-Resume-Cursor, nothing twice', async () => {
    const start = await latest();
    const others = Array.from({ length: 700 }, (_, i) => feed(20_000 + i, { owner: 'bob' }));
    await app.load([...others, ...Array.from({ length: 2_300 }, (_, i) => feed(10_000 + i))]);
    const sizes: number[] = [];
    const seen = new Set<number>();
    let answer = await latest('', resume(start));
    for (;;) {
      sizes.push(keysOf(answer).length);
      keysOf(answer).forEach((key) => seen.add(key));
      if (!answer.headers.get('x-result-truncated')) break;
      expect(answer.headers.get('x-next-poll-after')).toBe('0');
      expect(answer.headers.has('x-last-fetch-time')).toBe(false);
      answer = await latest('', resume(answer));
    }
    expect(sizes).toEqual([1000, 1000, 300]);
    expect(answer.headers.get('x-last-fetch-time')).toBe(String(NOON));
    expect(seen.size).toBe(2_300);
  });

  it('D-45 at most 200 removed keys', async () => {
    const start = await drained();
    await sql('DELETE FROM feed WHERE feed_key BETWEEN 10000 AND 10499');
    const sizes: number[] = [];
    const removed = new Set<number>();
    let answer = await latest('', resume(start));
    for (;;) {
      sizes.push(removedOf(answer).length);
      removedOf(answer).forEach((key) => removed.add(key));
      if (!answer.headers.get('x-result-truncated')) break;
      answer = await latest('', resume(answer));
    }
    expect(sizes).toEqual([200, 200, 100]);
    expect(removed.size).toBe(500);
    await sql('DELETE FROM feed WHERE feed_key >= 10000');
  });

  it('F161 D-45 however many went out of sight, every feed is in one answer', async () => {
    const start = await drained();
    const urgent = Array.from({ length: 5 }, (_, i) => 30_300 + i);
    await app.load(Array.from({ length: 250 }, (_, i) => feed(30_000 + i)));
    await app.load(urgent.map((key) => feed(key, { priority: 1 })));
    const answer = await latest('priority=1', resume(start));
    expect([keysOf(answer), removedOf(answer).length]).toEqual([urgent, 200]);
    expect(answer.headers.get('x-result-truncated')).toBe('true');
    const rest = await latest('priority=1', resume(answer));
    expect([keysOf(rest), removedOf(rest).length]).toEqual([urgent, 50]);
    expect(rest.headers.get('x-result-truncated')).toBeNull();
    expect(new Set([...removedOf(answer), ...removedOf(rest)]).size).toBe(250);
    await sql('DELETE FROM feed WHERE feed_key >= 30000');
  });
});

describe('D-50 crossing into overdue', () => {
  it('is a change although nobody writes; at the configured days after the end, once', async () => {
    const end = NOON + 10 * DAY;
    await sql('UPDATE feed SET end_at = $1 WHERE feed_key = 1', [new Date(end)]);
    await sweepOverdue(app.services);
    // It is overdue for gateways whose clocks are a little behind, too.
    app.setTime(end + 2 * DAY + 5_000);
    const fresh = await app.signedIn('ana');
    await sweepOverdue(app.services);
    app.setTime(end + 2 * DAY + 5_001);
    const answer = await after(() => sweepOverdue(app.services), '', fresh);
    expect(answer.json['feed_list_latest']).toMatchObject([{ feed_key: 1, status: 'O' }]);
    expect(keysOf(await after(() => sweepOverdue(app.services), '', fresh))).toEqual([]);
    app.setTime(NOON);
  });

  it('is a change, too, where a clock was ahead when it swept', async () => {
    const start = NOON + 20 * DAY;
    app.setTime(start);
    const token = await app.signedIn('ana');
    await sweepOverdue(app.services);
    const end = start - 2 * DAY + 600_000;
    await sql('UPDATE feed SET end_at = $1 WHERE feed_key = 1', [new Date(end)]);
    app.setTime(start + HOUR);
    await sweepOverdue(app.services);
    // Set back, it sweeps what is overdue by this clock, also across the time when the other one swept.
    app.setTime(start);
    await sweepOverdue(app.services);
    app.setTime(start + 660_000);
    const answer = await after(() => sweepOverdue(app.services), '', token);
    expect(answer.json['feed_list_latest']).toMatchObject([{ feed_key: 1, status: 'O' }]);
    app.setTime(start + 58 * 60_000);
    await sweepOverdue(app.services);
    const late = start - 2 * DAY + HOUR - 60_000;
    await sql('UPDATE feed SET end_at = $1 WHERE feed_key = 1', [new Date(late)]);
    app.setTime(start + HOUR + 60_000);
    const next = await after(() => sweepOverdue(app.services), '', token);
    expect(next.json['feed_list_latest']).toMatchObject([{ feed_key: 1, status: 'O' }]);
    expect(keysOf(await after(() => sweepOverdue(app.services), '', token))).toEqual([]);
    app.setTime(NOON);
  });
});

describe('F162 parity', () => {
  const query = `query ($after: ChangeCursor, $filter: FeedFilter, $first: Int! = 100) { viewer { feedChanges(after: $after, filter: $filter, first: $first) {
    endCursor hasMore nextPollAfterMs edges { cursor node { __typename ... on FeedUpserted { changedAt feed { feedKey status pin } } ... on FeedRemoved { feedKey feedId } ... on ResyncRequired { reason legacyCode oldestCursor } } } } } }`;

  it('GraphQL returns the same events and positions', async () => {
    const before = await drained();
    await sql(`UPDATE feed SET status = 'F' WHERE feed_key = 1`);
    await sql('UPDATE feed SET deleted_at = now() WHERE feed_key = 2');
    const after = before.headers.get('x-resume-cursor');
    const { data, errors } = await app.gql(query, { after }, ana);
    expect(errors).toBeUndefined();
    const nodes = data.viewer.feedChanges.edges.map((edge: any) => edge.node);
    expect(nodes).toMatchObject([
      { __typename: 'FeedUpserted', feed: { feedKey: 1, status: 'FORCE_CLOSED' } },
      { __typename: 'FeedRemoved', feedKey: 2 },
    ]);
    const answer = await latest('', { 'x-resume-cursor': after ?? '' });
    expect([keysOf(answer), removedOf(answer)]).toEqual([[1], [2]]);
    const page = await app.gql(query, { after, first: 1 }, ana);
    expect(page.data.viewer.feedChanges).toMatchObject({ hasMore: true, nextPollAfterMs: 0 });
    expect(page.data.viewer.feedChanges.edges[0].cursor).toBe(
      page.data.viewer.feedChanges.endCursor,
    );
    const rest = await latest('', { 'x-resume-cursor': page.data.viewer.feedChanges.endCursor });
    expect([keysOf(rest), removedOf(rest)]).toEqual([[], [2]]);
  });

  it('FeedConnection.changeCursor is where to go on after a list', async () => {
    const { data } = await app.gql(
      '{ viewer { feeds { changeCursor nodes { feedKey } } } }',
      {},
      ana,
    );
    await sql('UPDATE feed SET deleted_at = NULL WHERE feed_key = 2');
    const answer = await app.gql(query, { after: data.viewer.feeds.changeCursor }, ana);
    expect(answer.data.viewer.feedChanges.edges.map((edge: any) => edge.node.feed.feedKey)).toEqual(
      [2],
    );
  });

  it('F160 a pruned position is ResyncRequired, in REST E116', async () => {
    await sql(`UPDATE feed SET priority = 3 WHERE feed_key = 1`);
    const before = (await drained()).headers.get('x-resume-cursor') ?? '';
    await sql(`UPDATE feed SET priority = 4 WHERE feed_key = 1`);
    // A mark lies before the oldest transaction of the server, and other tests share it: the change may not be among what is pruned at once.
    let pruned = 0;
    let node: Record<string, any> = {};
    for (
      const end = Date.now() + 30_000;
      node['__typename'] !== 'ResyncRequired' && Date.now() < end;
    ) {
      await sql('SELECT change_log_mark()');
      await sql(`UPDATE change_mark SET at = at - interval '31 days'`);
      pruned += await pruneChanges(app.services);
      node = (await app.gql(query, { after: before }, ana)).data.viewer.feedChanges.edges[0].node;
    }
    expect(node).toMatchObject({ __typename: 'ResyncRequired', legacyCode: 'E116' });
    expect(pruned).toBeGreaterThan(2_000);
    expect(await latest('', { 'x-resume-cursor': before })).toMatchObject({
      status: 400,
      json: { errorCode: 'E116' },
    });
    expect((await latest('', { 'x-resume-cursor': node['oldestCursor'] })).status).toBe(200);
  });

  it('refuses more than 100 at once and a damaged position', async () => {
    expect((await app.gql(query, { first: 101 }, ana)).errors?.[0]?.extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
    });
    expect((await app.gql(query, { after: '*' }, ana)).errors?.[0]?.extensions).toMatchObject({
      code: 'BAD_CURSOR',
      legacyCode: 'E901',
    });
  });

  it('a cursor ends with a transaction that has committed: after a crash the numbers of others are given again', async () => {
    const client = await app.services.db.pool.connect();
    try {
      for (let turn = 0; turn < 3; turn++)
        await client.query('BEGIN; SELECT pg_current_xact_id(); ROLLBACK');
    } finally {
      client.release();
    }
    const { position } = decodeChangeCursor(resume(await drained())['x-resume-cursor'] ?? '');
    const { rows } = await app.services.db.pool.query<{ last: number }>(
      `SELECT greatest((SELECT max(xid) FROM change_log), (SELECT max(xid) FROM change_mark), (SELECT horizon_xid - 1 FROM change_log_state))::int AS last`,
    );
    expect(Number(position.from.split(':')[1]) - 1).toBeLessThanOrEqual(rows[0]?.last ?? 0);
  });
});

describe('docs/operations.md: a restored database', () => {
  it('refuses positions and times of before, once it was said to be restored', async () => {
    const last = await drained();
    await checkChangeLog(app.services);
    expect((await latest('', resume(last))).json).toMatchObject({ errorCode: 'E404' });
    await sql(`UPDATE change_log_state SET origin = 'restored'`);
    await checkChangeLog(app.services);
    expect((await latest('', resume(last))).json).toMatchObject({ errorCode: 'E116' });
    expect((await latest(`from_time=${NOON - HOUR}`)).json).toMatchObject({ errorCode: 'E116' });
    const next = await drained();
    await checkChangeLog(app.services);
    expect((await latest('', resume(next))).json).toMatchObject({ errorCode: 'E404' });
  });

  it.runIf(hasServer())('is known by itself where it is another database', async () => {
    const database = await freshDatabase();
    const poll = async (at: typeof database, cursor: Record<string, string> = {}) => {
      const one = await startApp({ database: at });
      await one.load(organisation);
      const path = '/task/v1/feeds/list-latest?from_time=0';
      const answer = await one.rest(path, await one.signedIn('ana'), { headers: cursor });
      await one.close();
      return answer;
    };
    const cursor = resume(await poll(database));
    expect((await poll(database, cursor)).json).toMatchObject({ errorCode: 'E404' });
    const url = database.kind === 'server' ? database.url : '';
    await sql(
      `CREATE DATABASE ${new URL(url).pathname.slice(1)}_copy TEMPLATE ${new URL(url).pathname.slice(1)}`,
    );
    const copy = { ...database, url: `${url}_copy` };
    expect((await poll(copy, cursor)).json).toMatchObject({ errorCode: 'E116' });
    expect((await poll(database, cursor)).json).toMatchObject({ errorCode: 'E404' });
  });
});
