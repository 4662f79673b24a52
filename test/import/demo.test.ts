import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyPassword } from '../../src/auth/passwords.ts';
import { configValues } from '../../src/task-execution/configuration/config-values.ts';
import { loadDemo } from '../../src/import/load-demo.ts';
import { openImportBench, type ImportBench } from './import-bench.ts';

let bench: ImportBench;
beforeAll(async () => {
  bench = await openImportBench();
  await loadDemo(bench.services);
}, 60_000);
afterAll(() => bench.close());

const list = async (sql: string, ...params: string[]): Promise<unknown[]> =>
  (await bench.db.rows(sql, params)).map((row) => row[0]);

test('holds 5,000 feeds from 60 days ago to 60 days ahead, of every kind, status, priority and message type', async () => {
  const [count, early, late] = await bench.row(
    `SELECT count(*), extract(day FROM min(start_at) - to_timestamp($1 / 1000.0)), extract(day FROM max(end_at) - to_timestamp($1 / 1000.0))
     FROM feed JOIN domain d ON d.id = domain_id AND d.name = 'demo'`,
    bench.now,
  );
  expect(Number(count)).toBeGreaterThanOrEqual(5000);
  expect([early, late].map(Number)).toEqual([-60, 60]);
  expect(await list('SELECT DISTINCT kind FROM feed ORDER BY 1')).toEqual([
    'MESSAGE',
    'PROJECT',
    'TASK',
    'WALK',
  ]);
  expect(await list('SELECT DISTINCT status FROM feed ORDER BY 1')).toEqual([...'CEFNOPR']);
  expect(await list('SELECT DISTINCT priority FROM feed ORDER BY 1')).toEqual([...'12345']);
  const types = await list(
    `SELECT jsonb_object_keys(value) FROM config_entry WHERE key = 'message_type_data' ORDER BY 1`,
  );
  expect(await list('SELECT DISTINCT message_type FROM feed ORDER BY 1')).toEqual(types);
});

test('every type and priority of a feed is described by the configuration', async () => {
  for (const [column, key] of [
    ['priority', 'priority_data'],
    ['message_type', 'message_type_data'],
  ]) {
    expect(
      await list(
        `SELECT DISTINCT ${column}::text FROM feed WHERE NOT EXISTS (SELECT FROM config_entry WHERE key = $1 AND value ? feed.${column}::text)`,
        key ?? '',
      ),
    ).toEqual([]);
  }
});

test('has parents, clusters, tags, attributes, confidential and undated ones, suggested dates', async () => {
  const [, ...counts] = await bench.row(
    `SELECT 0, count(*) FILTER (WHERE parent_feed_key IS NOT NULL), count(DISTINCT cluster_id), (SELECT count(*) FROM feed_tag), (SELECT count(*) FROM feed_attribute),
       count(*) FILTER (WHERE is_confidential), count(*) FILTER (WHERE end_at IS NULL), count(*) FILTER (WHERE sugg_start_date IS NOT NULL), max(task_count) FROM feed`,
  );
  for (const count of counts) expect(Number(count)).toBeGreaterThan(2);
});

test.each(['associate', 'supervisor', 'leader'])(
  '%s sees 400 feeds in the default view, 60 tasks, and has marked some',
  async (login) => {
    const visible = `FROM "user" u JOIN feed_listing l ON (l.list / 10 = 1 AND l.subject_id = u.id) OR (l.list / 10 = 3 AND l.subject_id = u.unit_id)
      OR (l.list / 10 = 2 AND l.subject_id IN (SELECT dept_id FROM user_dept WHERE user_id = u.id))
    WHERE u.login = $1 AND (confidential_dept IS NULL OR confidential_dept IN (SELECT dept_id FROM user_dept WHERE user_id = u.id AND is_home))`;
    const [projects, tasks] = await bench.row(
      `SELECT count(DISTINCT feed_key) FILTER (WHERE list % 10 = 0), count(DISTINCT feed_key) FILTER (WHERE list % 10 = 1) ${visible}`,
      login,
    );
    expect(Number(projects)).toBeGreaterThanOrEqual(400);
    expect(Number(tasks)).toBeGreaterThanOrEqual(60);
    const marks = await bench.row(
      `SELECT count(*) FILTER (WHERE pinned), count(*) FILTER (WHERE favorite), count(*) FILTER (WHERE follow), count(*) FILTER (WHERE acknowledged)
     FROM feed_user_state s JOIN "user" u ON u.id = s.user_id WHERE u.login = $1`,
      login,
    );
    for (const count of marks) expect(Number(count)).toBeGreaterThan(10);
  },
);

test('configures every documented field', async () => {
  const keys = Object.keys(configValues).filter((key) => key !== 'max_refresh_interval');
  expect(keys).toHaveLength(28);
  expect(await list(`SELECT key FROM config_entry WHERE scope = 'SYSTEM' ORDER BY key`)).toEqual(
    keys.sort(),
  );
  expect(await list('SELECT DISTINCT scope FROM config_entry ORDER BY 1')).toEqual(
    expect.arrayContaining(['DOMAIN', 'SYSTEM', 'UNIT', 'USER']),
  );
});

test('four logins take the password demo, no one else has one', async () => {
  expect(await list('SELECT login FROM "user" WHERE password_hash IS NOT NULL ORDER BY 1')).toEqual(
    ['associate', 'leader', 'outsider', 'supervisor'],
  );
  const [hash] = await bench.row(`SELECT password_hash FROM "user" WHERE login = 'leader'`);
  expect(await verifyPassword(hash ?? '', 'demo')).toBe(true);
  expect(await verifyPassword(hash ?? '', 'Demo')).toBe(false);
});

test('no feed of the other domain is in a list of demo', async () => {
  expect(
    await bench.row(
      `SELECT count(*) FROM feed_listing l JOIN feed f USING (feed_key) JOIN domain d ON d.id = f.domain_id AND d.name = 'other'
       WHERE l.list / 10 IN (2, 4) AND l.subject_id IN (SELECT p.id FROM dept p JOIN domain o ON o.id = p.domain_id AND o.name = 'demo')`,
    ),
  ).toEqual(['0']);
});

test('is the same all day long', async () => {
  bench.now += 3_600_000;
  await loadDemo(bench.services);
  expect(await bench.row('SELECT max(version) FROM feed')).toEqual(['1']);
}, 60_000);
