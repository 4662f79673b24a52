import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { asBytes, openImportBench, type ImportBench } from './import-bench.ts';
import { importRecords } from '../../src/import/import-records.ts';
import { asLines, readLines } from '../../src/import/read-lines.ts';

let bench: ImportBench;
let made = 0;

beforeAll(async () => {
  bench = await openImportBench();
});
afterAll(() => bench.close());

/** A domain of its own for each test, with one of everything, and a range of keys. */
async function newDomain(): Promise<{
  domain: string;
  login: string;
  key: number;
  feed: (more?: object) => object;
}> {
  const n = ++made;
  const [domain, login, key] = [`d${n}`, `ana${n}`, n * 10_000];
  await bench.load(
    { record: 'domain', name: domain },
    { record: 'unit', domain, name: 'Berlin', time_zone: 'Europe/Berlin' },
    { record: 'dept', domain, name: 'Bakery' },
    { record: 'profile', domain, name: 'Lead', permissions: ['SUPERVISOR'] },
    {
      record: 'user',
      domain,
      login,
      unit: 'Berlin',
      profile: 'Lead',
      depts: [{ name: 'Bakery', home: true }],
    },
  );
  return {
    domain,
    login,
    key,
    feed: (more) => ({ feed_key: key, domain, kind: 'TASK', feed_title: 'Bake', ...more }),
  };
}

describe('faults name line, field and reason', () => {
  test.each([
    ['JSON that ends early', '{"feed_key": 1', '', /^is not valid JSON/],
    ['a line that is no object', '[1]', '', 'is not a JSON object'],
    ['an unknown kind', { record: 'planet' }, 'record', /^must be one of domain, unit/],
    ['an unknown field', { record: 'domain', name: 'x', colour: 'red' }, 'colour', 'unknown field'],
    ['a missing field', { record: 'domain' }, 'name', 'is required'],
    [
      'a zone that no one knows',
      { record: 'unit', domain: 'x', name: 'u', time_zone: 'Mars/Base' },
      'time_zone',
      'is not an IANA time zone',
    ],
    [
      'a time with a zone',
      { record: 'unit', domain: 'x', name: 'u', time_zone: '2026-01-01T00:00[Europe/Berlin]' },
      'time_zone',
      'is not an IANA time zone',
    ],
    [
      'a zone that only Intl knows',
      { record: 'unit', domain: 'x', name: 'u', time_zone: 'IST' },
      'time_zone',
      'is not an IANA time zone',
    ],
    [
      'a filter’s day that no calendar has',
      {
        record: 'filter',
        domain: 'x',
        filter_id: 'f',
        name: 'f',
        criteria: { selectedDates: ['2026-02-29'] },
      },
      'criteria.selectedDates[0]',
      '2026-02-29 is an impossible date: no calendar has this day',
    ],
    [
      'a filter’s day of the year 0',
      {
        record: 'filter',
        domain: 'x',
        filter_id: 'f',
        name: 'f',
        criteria: { weekDates: ['0001-01-01', '0000-01-01'] },
      },
      'criteria.weekDates[1]',
      'is a day of the year 0, which no calendar has',
    ],
    [
      'a month of the year 0',
      { record: 'monthly_note', domain: 'x', month: '000001', note: 'n' },
      'month',
      'expected a month yyyyMM',
    ],
    [
      'a name of 201 characters',
      { record: 'domain', name: `${'😀'.repeat(200)}x` },
      'name',
      'is longer than 200 characters',
    ],
    ['a NUL', { record: 'domain', name: 'a\0' }, 'name', /NUL/],
    ['half a surrogate pair', '{"record":"domain","name":"\\ud83c"}', 'name', /surrogate/],
    ['a blank name', { record: 'domain', name: ' ' }, 'name', 'is blank'],
    ['an empty name', { record: 'domain', name: '' }, 'name', 'is blank'],
    ['a key below one', { feed_key: 0, domain: 'x' }, 'feed_key', /too small/i],
    [
      'a key that leaves none for new feeds',
      { feed_key: 9_000_000_000_000_001, domain: 'x' },
      'feed_key',
      /too big/i,
    ],
    ['a key that is not exact', '{"feed_key":9007199254740993,"domain":"x"}', 'feed_key', /int/],
    [
      'a title that is too long',
      { feed_key: 1, domain: 'x', feed_title: 'x'.repeat(2001) },
      'feed_title',
      'is longer than 2000 characters',
    ],
    [
      'a status that does not exist',
      { feed_key: 1, domain: 'x', status: 'Z' },
      'status',
      /Invalid option/,
    ],
    [
      'a day that does not exist',
      { feed_key: 1, domain: 'x', start_date_time: '2026-02-30 10:00:00' },
      'start_date_time',
      '2026-02-30 is an impossible date: no calendar has this day',
    ],
    [
      'a time after all that are taken',
      { feed_key: 1, domain: 'x', start_date_time: '9999-02-28 10:00:00' },
      'start_date_time',
      'is no time between 1900 and 9998',
    ],
    [
      'a suggested day that does not exist',
      { feed_key: 1, domain: 'x', sugg_start_date: '20260230' },
      'sugg_start_date',
      '20260230 is an impossible date: no calendar has this day',
    ],
    [
      'a script as link',
      { feed_key: 1, domain: 'x', show_why_url: 'javascript:alert(1)' },
      'show_why_url',
      'expected a http or https URL',
    ],
    [
      'an assignment to two',
      { feed_key: 1, domain: 'x', assignments: [{ user: 'a', dept: 'b' }] },
      'assignments[0]',
      'needs exactly one of user, dept, unit',
    ],
    [
      'text in JSON that can not be stored',
      { feed_key: 1, domain: 'x', panel_config: { a: ['\0'] } },
      'panel_config',
      /can't be stored/,
    ],
    [
      'a configuration value of the wrong type',
      { record: 'config', scope: 'SYSTEM', key: 'no_records', value: 20 },
      'value',
      'expected string, received number',
    ],
    [
      'a configuration value that is too large',
      { record: 'config', scope: 'SYSTEM', key: 'sm_filter', value: { text: 'x'.repeat(99_990) } },
      'value',
      'has more than 100000 characters as JSON',
    ],
    [
      'a criterion that does not exist',
      { record: 'filter', domain: 'x', filter_id: 'f', name: 'f', criteria: { colour: 1 } },
      'criteria.colour',
      'unknown field',
    ],
  ])('%s', async (_, line, field, reason) => {
    const [problem] = await bench.refused('', line);
    expect(problem).toMatchObject({ line: 2, field });
    expect(problem?.reason).toEqual(
      typeof reason === 'string' ? reason : expect.stringMatching(reason),
    );
  });

  test('bytes that are no UTF-8, and a line over the limit', async () => {
    const problems = await bench.refused(Buffer.from([0x7b, 0xff]), 'x'.repeat(1_048_577), '{}');
    expect(problems.map((problem) => [problem.line, problem.reason])).toEqual([
      [1, 'is not valid UTF-8'],
      [2, 'the line is longer than 1048576 bytes'],
      [3, 'is required'],
      [3, 'is required'],
    ]);
  });

  test('the message lists them as file:line: field: reason, a hundred and the total', async () => {
    const lines = Array.from({ length: 130 }, () => ({ record: 'domain' }));
    const error = await bench.load(...lines).catch((reason: unknown) => reason);
    const text = error instanceof Error ? error.message.split('\n') : [];
    expect(text[0]).toBe('test.ndjson:1: name: is required');
    expect(text.slice(-2)).toEqual([
      '… and 30 more',
      'test.ndjson: 130 problems, nothing was imported',
    ]);
    expect(text).toHaveLength(102);
  });

  test('those of the first lines are listed, whether a line shows them by itself or by what is stored', async () => {
    const { feed } = await newDomain();
    const problems = await bench.refused(
      ...Array.from({ length: 1_100 }, (_, index) => (index < 950 ? feed({ unit: 'Paris' }) : '{')),
    );
    expect(problems.map(({ line }) => line)).toEqual(
      Array.from({ length: 100 }, (_, at) => at + 1),
    );
  });
});

test('lengths are counted in characters, not in UTF-16 units', async () => {
  const { feed, key } = await newDomain();
  // Each becomes three characters in NFC.
  const symbols = ['\u{1d160}', '\u{1d161}', '\u{1d162}'];
  const notes = Array.from({ length: 400 }, (_, n) => symbols[(n * n) % 3]).join('');
  await bench.load(
    feed({
      feed_title: '😀'.repeat(2000),
      tags: ['😀'.repeat(200)],
      attributes: [{ scope: 'COM', name: '😀'.repeat(200), value: notes }],
    }),
  );
  const kept =
    'SELECT char_length(title), char_length(name), value = $2 FROM feed JOIN feed_attribute USING (feed_key) WHERE feed_key = $1';
  expect(await bench.row(kept, key, notes)).toEqual(['2000', '200', 't']);
});

describe('references', () => {
  test('must exist in the same domain', async () => {
    const { feed } = await newDomain();
    const stranger = await newDomain();
    const problems = await bench.refused(
      feed({
        unit: 'Paris',
        dept: 'Deli',
        profile: 'None',
        owner: stranger.login,
        parent_feed_key: 5,
        assignments: [{ dept: 'Bakery' }, { user: stranger.login }],
        user_states: [{ user: 'nobody', pin: 1 }],
      }),
    );
    expect(problems.map((problem) => problem.field)).toEqual([
      'parent_feed_key',
      'unit',
      'dept',
      'profile',
      'owner',
      'assignments[1].user',
      'user_states[0].user',
    ]);
  });

  test('compare names without regard to case', async () => {
    const { feed, login } = await newDomain();
    await expect(
      bench.load(feed({ unit: 'BERLIN', dept: 'bakery', owner: login.toUpperCase() })),
    ).resolves.toEqual({ feed: { new: 1, changed: 0, same: 0 } });
  });

  test('a parent stands before its task, in the file or in the database', async () => {
    const { feed, key } = await newDomain();
    const [parent, task] = [
      feed({ kind: 'PROJECT' }),
      feed({ feed_key: key + 1, parent_feed_key: key }),
    ];
    expect(await bench.refused(task, parent)).toMatchObject([
      { line: 1, field: 'parent_feed_key' },
    ]);
    await bench.load(parent, task);
    await bench.load(feed({ feed_key: key + 2, parent_feed_key: key, status: 'C' }));
    expect(
      await bench.row('SELECT task_count, feed_task_count FROM feed WHERE feed_key = $1', key),
    ).toEqual(['1', '2']);
  });

  test('a feed is never its own ancestor', async () => {
    const { feed, key } = await newDomain();
    expect(await bench.refused(feed({ parent_feed_key: key }))).toMatchObject([
      { field: 'parent_feed_key', reason: 'is the feed itself' },
    ]);
    await bench.load(
      feed(),
      feed({ feed_key: key + 1, parent_feed_key: key }),
      feed({ feed_key: key + 2, parent_feed_key: key + 1 }),
    );
    expect(await bench.refused(feed({ parent_feed_key: key + 2 }))).toMatchObject([
      { line: 1, reason: 'makes the feed its own ancestor' },
    ]);
  });

  test('a key or login of another domain is refused', async () => {
    const [one, two] = [await newDomain(), await newDomain()];
    await bench.load(one.feed());
    expect(await bench.refused({ ...two.feed(), feed_key: one.key })).toMatchObject([
      { field: 'feed_key', reason: `${one.key} belongs to another domain` },
    ]);
    expect(
      await bench.refused({ record: 'user', domain: two.domain, login: one.login }),
    ).toMatchObject([{ field: 'login' }]);
  });
});

describe('all or nothing', () => {
  test('one fault on the last line leaves the database as it was', async () => {
    const { feed, key, domain } = await newDomain();
    const feeds = Array.from({ length: 1500 }, (_, n) => feed({ feed_key: key + n }));
    await bench.refused({ record: 'dept', domain, name: 'New' }, ...feeds, '{');
    expect(
      await bench.row(
        'SELECT count(*) FROM feed WHERE feed_key BETWEEN $1 AND $2',
        key,
        key + 1500,
      ),
    ).toEqual(['0']);
    expect(
      await bench.row(
        'SELECT count(*) FROM dept JOIN domain d ON d.id = domain_id WHERE d.name = $1',
        domain,
      ),
    ).toEqual(['1']);
  });
});

describe('importing again', () => {
  test('the same file changes nothing', async () => {
    const { domain, login, key, feed } = await newDomain();
    const file = [
      { record: 'user', domain, login, password: 'secret', permissions: ['A', 'B'] },
      { record: 'config', scope: 'DOMAIN', domain, key: 'no_records', value: '30' },
      { record: 'filter', domain, filter_id: 'f', name: 'F', criteria: { pin: true } },
      feed({
        unit: 'Berlin',
        end_date_time: '2026-07-01 10:00:00',
        panel_config: { a: 1 },
        tags: ['A', 'a', 'b'],
        attributes: [{ scope: 'COM', name: 'n', value: 'v' }],
        assignments: [{ dept: 'Bakery' }],
        user_states: [{ user: login, pin: 1, follow: true }],
        last_updated_time: 1_700_000_000_000,
      }),
      feed({ feed_key: key + 1, parent_feed_key: key, deleted: false }),
      feed({ feed_key: key + 2, deleted: true }),
    ];
    const state = (): Promise<unknown[]> =>
      Promise.all(
        [
          'domain',
          '"user"',
          'permission_grant',
          'config_entry',
          'system_filter',
          'feed',
          'feed_assignment',
          'feed_user_state',
          'feed_attribute',
          'feed_tag',
          'feed_listing',
        ].map((table) =>
          bench.row(
            `SELECT count(*), md5(string_agg(t::text, '' ORDER BY t::text)) FROM ${table} t`,
          ),
        ),
      );
    await bench.load(...file);
    const before = await state();
    bench.now += 60_000;
    await bench.load(...file);
    expect(await state()).toEqual(before);
  });

  test('says of each kind how many records were new, changed and the same, and writes only those that differ', async () => {
    const { domain, login, key, feed } = await newDomain();
    const shared = { domain, name: 'More' };
    const project = feed({ kind: 'PROJECT', assignments: [{ dept: 'Bakery' }], tags: ['a'] });
    const legend = { record: 'leadership_legend', ...shared, legend_type_id: 1, color: 'red' };
    const file = [
      { record: 'unit', ...shared, time_zone: 'Europe/Berlin' },
      { record: 'dept', ...shared },
      { record: 'profile', ...shared, permissions: ['A', 'B'] },
      { record: 'user', domain, login, permissions: ['A'], password: 'secret' },
      { record: 'config', scope: 'DOMAIN', domain, key: 'no_records', value: '30' },
      { record: 'filter', ...shared, filter_id: 'f', criteria: { pin: true } },
      { ...project, record: 'feed' },
      { ...feed({ feed_key: key + 1, user_states: [{ user: login, pin: 1 }] }), record: 'feed' },
      { record: 'leadership_category', ...shared, position: 1 },
      { ...legend, feed_keys: [key] },
      { record: 'calendar_note', user: login, date: '20260105', note: 'n' },
      { record: 'monthly_note', domain, month: '202601', note: 'n' },
    ];
    const NEW = { new: 1, changed: 0, same: 0 };
    const CHANGED = { new: 0, changed: 1, same: 0 };
    const SAME = { new: 0, changed: 0, same: 1 };
    const all = (count: object): object =>
      Object.fromEntries(file.map(({ record }) => [record, count]));
    expect(await bench.load(...file)).toEqual({
      ...all(NEW),
      user: CHANGED,
      feed: { new: 2, changed: 0, same: 0 },
    });
    const rowsOf = (): Promise<unknown[]> =>
      Promise.all(
        // Every write gives a row another xmin.
        ['unit', 'dept', 'profile', '"user"', 'permission_grant', 'user_dept', 'config_entry']
          .concat(['system_filter', 'feed', 'feed_assignment', 'feed_tag', 'feed_user_state'])
          .concat(['leadership_category', 'leadership_legend', 'feed_legend', 'calendar_note'])
          .map((table) =>
            bench.row(
              `SELECT string_agg(t.xmin::text || t::text, ',' ORDER BY t::text) FROM ${table} t`,
            ),
          ),
      );
    const before = await rowsOf();
    bench.now += 60_000;
    expect(await bench.load(...file)).toEqual({
      ...all(SAME),
      feed: { new: 0, changed: 0, same: 2 },
    });
    expect(await rowsOf()).toEqual(before);
    expect(
      await bench.load(
        { record: 'unit', ...shared, time_zone: 'UTC' },
        { record: 'dept', domain, name: 'MORE' },
        { record: 'profile', ...shared, permissions: ['A'] },
        { record: 'user', domain, login, depts: [] },
        { record: 'config', scope: 'DOMAIN', domain, key: 'no_records', value: '31' },
        { record: 'filter', ...shared, filter_id: 'f', criteria: {} },
        { feed_key: key, domain, tags: ['b'] },
        { feed_key: key + 1, domain, user_states: [{ user: login, pin: 0 }] },
        { record: 'leadership_category', ...shared, position: 2 },
        { ...legend, name: 'Other', feed_keys: [key] },
        { ...legend, feed_keys: [key] },
        { record: 'calendar_note', user: login, date: '20260105', note: 'other' },
      ),
    ).toEqual({
      ...{ unit: CHANGED, dept: CHANGED, profile: CHANGED, user: CHANGED, config: CHANGED },
      ...{ filter: CHANGED, leadership_category: CHANGED, calendar_note: NEW },
      feed: { new: 0, changed: 2, same: 0 },
      leadership_legend: { new: 1, changed: 1, same: 0 },
    });
  });

  test('users of a batch get what each is given, however many there are', async () => {
    const { domain } = await newDomain();
    const depts = Array.from({ length: 30 }, (_, n) => ({ record: 'dept', domain, name: `D${n}` }));
    const logins = Array.from({ length: 60 }, (_, n) => `${domain}-user${n}`);
    const user = (login: string, more: object): object => ({
      record: 'user',
      domain,
      login,
      ...more,
    });
    const everywhere = depts.map(({ name }) => ({ name, home: name === 'D0' }));
    const file = logins.map((login) =>
      user(login, { depts: everywhere, permissions: ['A', 'B', 'A'], lang_code: 'de' }),
    );
    expect(await bench.load(...depts, ...file)).toMatchObject({
      user: { new: 60, changed: 0, same: 0 },
    });
    expect(await bench.load(...file)).toMatchObject({ user: { new: 0, changed: 0, same: 60 } });
    const [moved, gone, told, named] = logins;
    expect(
      await bench.load(
        user(moved!, { depts: everywhere.map(({ name }) => ({ name, home: name === 'D1' })) }),
        user(gone!, { depts: [] }),
        user(told!, { permissions: ['B', 'C'] }),
        user(named!, { display_name: 'Ann' }),
        ...file.slice(4),
        user(`${domain}-last`, { depts: [{ name: 'D0' }, { name: 'D0', home: true }] }),
      ),
    ).toMatchObject({ user: { new: 1, changed: 4, same: 56 } });
    const stateOf = (login: string): Promise<unknown[]> =>
      bench.row(
        `SELECT u.display_name, u.lang_code,
           (SELECT count(*) FROM user_dept WHERE user_id = u.id),
           (SELECT string_agg(d.name, ',') FROM user_dept JOIN dept d ON d.id = dept_id WHERE user_id = u.id AND is_home),
           (SELECT string_agg(permission, ',' ORDER BY permission) FROM permission_grant WHERE subject_type = 'USER' AND subject_id = u.id)
         FROM "user" u WHERE login = $1`,
        login,
      );
    expect(await stateOf(moved!)).toEqual([moved, 'de', '30', 'D1', 'A,B']);
    expect(await stateOf(gone!)).toEqual([gone, 'de', '0', null, 'A,B']);
    expect(await stateOf(told!)).toEqual([told, 'de', '30', 'D0', 'B,C']);
    expect(await stateOf(named!)).toEqual(['Ann', 'de', '30', 'D0', 'A,B']);
    expect(await stateOf(logins.at(-1)!)).toEqual([logins.at(-1), 'de', '30', 'D0', 'A,B']);
    expect(await stateOf(`${domain}-last`)).toEqual([`${domain}-last`, 'en', '1', 'D0', null]);
  });

  // An embedded database does one thing at a time.
  test.skipIf(inject('template').kind === 'embedded')(
    'a user whom somebody else creates during the import is changed by it',
    async () => {
      const { domain } = await newDomain();
      const [come, led] = [`${domain}-come`, `${domain}-led`];
      const { rows } = await bench.db.pool.query<{ id: number }>(
        'SELECT id FROM domain WHERE name = $1',
        [domain],
      );
      async function* lines(): AsyncGenerator<object> {
        yield { record: 'dept', domain, name: 'Deli' };
        await bench.db.pool.query(
          'INSERT INTO "user" (domain_id, login, display_name) VALUES ($1, $2, $2)',
          [rows[0]?.id, come],
        );
        yield { record: 'user', domain, login: come, permissions: ['A'] };
        yield { record: 'user', domain, login: led };
        yield { record: 'calendar_note', user: come, date: '20260105', note: 'n' };
      }
      expect(await importRecords(bench.services, asLines(lines()), { name: 'test' })).toMatchObject(
        { user: { new: 1, changed: 1, same: 0 }, calendar_note: { new: 1 } },
      );
    },
  );

  test('updates what is given, clears null, keeps what is left out', async () => {
    const { domain, key, feed, login } = await newDomain();
    await bench.load(
      feed({
        priority: 2,
        feed_description: 'long',
        has_survey: true,
        tags: ['a', 'b'],
        user_states: [{ user: login, pin: 1 }],
      }),
    );
    bench.now += 1000;
    await bench.load({
      feed_key: key,
      domain,
      status: 'P',
      feed_description: null,
      tags: ['b', 'c'],
      user_states: [{ user: login, favorite_flag: 1 }],
    });
    expect(
      await bench.row(
        `SELECT status, priority, description, has_survey, title, version, extract(epoch FROM last_updated_at) * 1000 = $2 FROM feed WHERE feed_key = $1`,
        key,
        bench.now,
      ),
    ).toEqual(['P', '2', null, 't', 'Bake', '2', 't']);
    expect(
      await bench.row(
        `SELECT string_agg(tag, ',' ORDER BY tag) FROM feed_tag WHERE feed_key = $1`,
        key,
      ),
    ).toEqual(['b,c']);
    expect(
      await bench.row('SELECT pinned, favorite FROM feed_user_state WHERE feed_key = $1', key),
    ).toEqual(['t', 't']);
  });

  test('new tags or assignments alone are a change of the feed', async () => {
    const { domain, key, feed, login } = await newDomain();
    await bench.load(feed({ assignments: [{ dept: 'Bakery' }] }));
    await bench.load({ feed_key: key, domain, assignments: [{ user: login }] });
    await bench.load({ feed_key: key, domain, tags: ['x'] });
    expect(await bench.row('SELECT version FROM feed WHERE feed_key = $1', key)).toEqual(['3']);
    expect(
      await bench.row(
        'SELECT string_agg(list::text, $2) FROM feed_listing WHERE feed_key = $1 AND list < 40',
        key,
        ',',
      ),
    ).toEqual(['10,11']);
  });

  test('the last line of a key wins, and a moved task is counted at both parents', async () => {
    const { key, feed } = await newDomain();
    await bench.load(
      feed({ kind: 'PROJECT' }),
      feed({ feed_key: key + 1, kind: 'PROJECT' }),
      feed({ feed_key: key + 2, parent_feed_key: key }),
      feed({ feed_key: key + 2, parent_feed_key: key + 1 }),
    );
    expect(
      await bench.row(
        'SELECT string_agg(task_count::text, $2 ORDER BY feed_key) FROM feed WHERE feed_key BETWEEN $1 AND $1 + 1',
        key,
        ',',
      ),
    ).toEqual(['0,1']);
  });

  test('a deleted feed leaves every list and comes back', async () => {
    const { domain, key, feed } = await newDomain();
    const listed = (): Promise<unknown> =>
      bench.row('SELECT count(*) FROM feed_listing WHERE feed_key = $1', key);
    await bench.load(feed({ assignments: [{ dept: 'Bakery' }] }), {
      feed_key: key,
      domain,
      deleted: true,
    });
    expect(await listed()).toEqual(['0']);
    await bench.load({ feed_key: key, domain, deleted: false });
    expect(await listed()).toEqual(['2']);
  });

  test('keys that the database gives start above the imported ones', async () => {
    const { feed } = await newDomain();
    await bench.load(feed({ feed_key: 5_000_000_000 }));
    await bench.load(feed());
    expect(await bench.row(`SELECT nextval('feed_feed_key_seq') > 5000000000`)).toEqual(['t']);
  });
});

describe('times', () => {
  test.each([
    ['an instant', {}, '2026-03-29T02:30:00+02:00', '2026-03-29 00:30:00'],
    ['UTC without a unit', {}, '2026-03-29 02:30:00', '2026-03-29 02:30:00'],
    ["the unit's zone in winter", { unit: 'Berlin' }, '2026-01-29 02:30:00', '2026-01-29 01:30:00'],
    ['an hour that spring skips', { unit: 'Berlin' }, '2026-03-29 02:30:00', '2026-03-29 01:30:00'],
    [
      'an hour that autumn repeats',
      { unit: 'Berlin' },
      '2026-10-25 02:30:00',
      '2026-10-25 00:30:00',
    ],
    [
      "the record's own zone",
      { unit: 'Berlin', time_zone: 'Asia/Kolkata' },
      '2026-03-29 02:30:00',
      '2026-03-28 21:00:00',
    ],
    [
      'a zone whose clocks move at midnight',
      { time_zone: 'America/Sao_Paulo' },
      '2018-11-04 00:30:00',
      '2018-11-04 03:30:00',
    ],
  ])('%s', async (_, scope, text, utc) => {
    const { key, feed } = await newDomain();
    await bench.load(feed({ ...scope, start_date_time: text }));
    expect(
      await bench.row(
        `SELECT to_char(start_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') FROM feed WHERE feed_key = $1`,
        key,
      ),
    ).toEqual([utc]);
  });

  test("an update without a unit takes the stored unit's zone, and UTC fields win", async () => {
    const { domain, key, feed } = await newDomain();
    await bench.load(feed({ unit: 'Berlin' }), {
      feed_key: key,
      domain,
      start_date_time: '2026-07-01 12:00:00',
      end_date_time: '2026-07-01 13:00:00',
      end_date_utc: '2026-07-01 15:00:00',
    });
    expect(
      await bench.row(
        `SELECT start_at AT TIME ZONE 'UTC', end_at AT TIME ZONE 'UTC' FROM feed WHERE feed_key = $1`,
        key,
      ),
    ).toEqual(['2026-07-01 10:00:00', '2026-07-01 15:00:00']);
  });

  test('null in a UTC field clears the time, unless the other field has one', async () => {
    const { domain, key, feed } = await newDomain();
    const times = (): Promise<unknown> =>
      bench.row('SELECT start_at, end_at FROM feed WHERE feed_key = $1', key);
    const dated = feed({
      start_date_utc: '2026-07-01 12:00:00',
      end_date_utc: '2026-07-01 13:00:00',
    });
    await bench.load(dated, { feed_key: key, domain, end_date_utc: null, start_date_utc: null });
    expect(await times()).toEqual([null, null]);
    const local = { start_date_time: '2026-07-01 12:00:00', end_date_time: '2026-07-01 13:00:00' };
    await bench.load(dated, {
      feed_key: key,
      domain,
      ...local,
      end_date_utc: null,
      start_date_utc: null,
    });
    expect(await times()).toEqual(['2026-07-01 12:00:00+00', '2026-07-01 13:00:00+00']);
  });
});

test('D-52 a suggested start after the suggested end is refused, also where one of them is stored', async () => {
  const { domain, key, feed } = await newDomain();
  const both = { sugg_start_date: '20261202', sugg_end_date: '20261201' };
  const reason = 'the suggested start 20261202 is after the suggested end 20261201';
  expect(await bench.refused(feed(both))).toMatchObject([{ field: 'sugg_start_date', reason }]);
  await bench.load(feed({ sugg_start_date: '20261202', sugg_end_date: '20261202' }));
  const update = { feed_key: key, domain };
  expect(await bench.refused({ ...update, sugg_end_date: '20261201' })).toMatchObject([
    { field: 'sugg_end_date', reason },
  ]);
  await bench.load({ ...update, sugg_start_date: null, sugg_end_date: '20261201' });
  expect(await bench.refused({ ...update, sugg_start_date: '20261202' })).toMatchObject([
    { field: 'sugg_start_date', reason },
  ]);
  await bench.load({ ...update, ...both, sugg_end_date: null });
  expect(
    await bench.row('SELECT sugg_start_date, sugg_end_date FROM feed WHERE feed_key = $1', key),
  ).toEqual(['20261202', null]);
});

test('computed fields of an export are accepted and ignored', async () => {
  const { key, feed } = await newDomain();
  await bench.load(
    feed({
      task_count: 7,
      pin: 1,
      future_feed: true,
      unit_id: 3,
      display_date: '2026-01-01 00:00:00',
    }),
  );
  expect(await bench.row('SELECT task_count, unit_id FROM feed WHERE feed_key = $1', key)).toEqual([
    '0',
    null,
  ]);
});

test('a byte order mark, CRLF and blank lines are tolerated, and no newline at the end', async () => {
  const { domain } = await newDomain();
  const text = `\uFEFF{"record":"dept","domain":"${domain}","name":"Käse"}\r\n\r\n  \n{"record":"dept","domain":"${domain}","name":"Obst"}`;
  await expect(bench.load(text)).resolves.toEqual({ dept: { new: 2, changed: 0, same: 0 } });
});

test('holds no more of a long file than a batch that is written and the one after', async () => {
  const { feed, key } = await newDomain();
  let pulled = 0;
  let ahead = 0;
  async function* source(): AsyncGenerator<Uint8Array> {
    for (; pulled < 5000; pulled++) yield* asBytes([feed({ feed_key: key + pulled })]);
  }
  await importRecords(bench.services, readLines(source()), {
    name: 'long',
    onProgress: (records) => (ahead = Math.max(ahead, pulled - records)),
  });
  expect(pulled).toBe(5000);
  expect(ahead).toBeLessThanOrEqual(1_002);
});
