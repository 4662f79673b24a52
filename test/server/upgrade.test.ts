import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { OpenOptions } from '../../src/core/database/db.ts';
import { startApp, type TestApp } from '../support/app.ts';

// test/fixtures/0.1.0.sql: pg_dump of what the first release made of an import and an API key. Never edited: it is what is out there.
const dump = readFileSync(new URL('../fixtures/0.1.0.sql', import.meta.url), 'utf8');

/** Feeds for departments and units, of which the import had none, as the first release would have written them. */
const addressed = `INSERT INTO feed_assignment (feed_key, dept_id, unit_id)
  SELECT 1, id, NULL::int FROM dept UNION ALL SELECT 1, NULL, id FROM unit UNION ALL SELECT 3, id, NULL FROM dept`;

/** System filters that the first release imported. */
const filters = `INSERT INTO system_filter (domain_id, filter_id, name, criteria, sort)
  SELECT id, filter.*, '[]' FROM domain, (VALUES
    ('easter', 'Easter', '{"selectedDates": ["0000-02-29", "2026-03-23"], "comAttrValues": ["0000-1"]}'::jsonb),
    ('never', 'Never', '{"weekDates": ["0000-01-01"]}')) AS filter`;

/** Suggested dates of a project and, which no calendar shows, of a task. */
const suggested = `UPDATE feed SET sugg_start_date = '20260401', sugg_end_date = '20260403' WHERE feed_key IN (1, 2)`;

/** What was written after the import. */
const written = [addressed, filters, suggested];

/** The database of the first release, as a dump restored it. */
async function firstRelease(): Promise<OpenOptions['database']> {
  const template = inject('template');
  if (template.kind === 'embedded') {
    const pglite = await PGlite.create();
    await pglite.exec(dump);
    await pglite.exec('RESET ALL');
    for (const statement of written) await pglite.exec(statement);
    return { kind: 'memory', pglite };
  }
  const name = `${template.name}_${randomBytes(4).toString('hex')}`;
  const admin = new pg.Client({ connectionString: template.url });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
  await admin.end();
  const own = new URL(template.url);
  own.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: own.href });
  await client.connect();
  await client.query(dump);
  await client.query('RESET ALL');
  for (const statement of written) await client.query(statement);
  await client.end();
  return { kind: 'server', url: own.href, poolSize: 4 };
}

let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await startApp({ database: await firstRelease() });
  const answer = await app.rest('/session', undefined, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"login":"ana","password":"first-release"}',
  });
  token = answer.json['token'];
}, 120_000);
afterAll(() => app.close());

it('applies every migration since the first release, and none twice', async () => {
  const rows = await app.services.db.rows(
    'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL ORDER BY 1',
    [],
  );
  const names = readdirSync(new URL('../../prisma/migrations', import.meta.url), {
    withFileTypes: true,
  }).filter((entry) => entry.isDirectory());
  expect(rows.map(([name]) => name)).toEqual(names.map(({ name }) => name).sort());
});

it('keeps passwords, feeds, who may see them, and what users marked', async () => {
  const projects = await app.rest('/task/v1/feeds/list?projections=feed_title,pin', token);
  expect(projects.json['feed_details']).toEqual([
    { feed_key: 1, feed_title: 'Easter window', pin: 0 },
    { feed_key: 3, feed_title: "Only Bo's", pin: 0 },
  ]);
  const tasks = await app.rest(
    '/task/v1/feeds/list/tasks?projections=feed_title,priority,pin',
    token,
  );
  expect(tasks.json['feed_details']).toEqual([
    { feed_key: 2, feed_title: 'Bake 40 lambs 🐑', priority: 2, pin: 1 },
    { feed_key: 3, feed_title: "Only Bo's", priority: null, pin: 0 },
  ]);
  const keys = await app.services.db.rows('SELECT customer_id FROM api_customer', []);
  expect(keys).toEqual([['acme-pos']]);
});

it('counts the feeds that were there', async () => {
  const answer = await app.gql(
    `{ viewer {
      store: feedCounts(startDate: "2026-03-23", endDate: "2026-03-23", filter: { view: STORE_VIEW }) { total }
      before: feedCounts(startDate: "2026-03-01", endDate: "2026-03-22", filter: { view: STORE_VIEW }) { total }
      projects: feeds(filter: { view: DEPARTMENT_VIEW }) { totalCount }
      tasks: feeds(filter: { view: STORE_VIEW, taskView: TASK_VIEW }) { totalCount }
      mine: feeds(filter: { view: MY_VIEW }) { totalCount nodes { feedKey } }
      begun: feedCounts(startDate: "2026-03-23", endDate: "2026-03-23", filter: { view: MY_VIEW }) { total } } }`,
    {},
    token,
  );
  expect(answer.data.viewer).toEqual({
    store: { total: 1 },
    before: { total: 0 },
    projects: { totalCount: 1 },
    tasks: { totalCount: 1 },
    mine: { totalCount: 2, nodes: [{ feedKey: 1 }, { feedKey: 3 }] },
    begun: { total: 1 },
  });
});

it('lists the projects with suggested dates that were there', async () => {
  const { json } = await app.rest(
    '/task/v1/calendar?source_id=STORE_SUGGESTED_DATE_PROJECTS&from_date=20260403&to_date=20260430&local_projects=A',
    token,
  );
  expect(json['calendar_data'].project_data).toMatchObject([
    { project_id: 1, start_date: '20260401', end_date: '20260403' },
  ]);
});

it('leaves days of the year 0 out of system filters, which match nothing by them', async () => {
  const stored = await app.services.db.prisma.systemFilter.findMany({
    select: { filterId: true, criteria: true },
    orderBy: { filterId: 'asc' },
  });
  expect(stored).toEqual([
    {
      filterId: 'easter',
      criteria: { selectedDates: ['2026-03-23'], comAttrValues: ['0000-1'] },
    },
    { filterId: 'never', criteria: { weekDates: [] } },
  ]);
  const list = await app.gql('{ viewer { feeds(filterId: "never") { totalCount } } }', {}, token);
  expect(list.data.viewer.feeds.totalCount).toBe(0);
});

it('takes changes, and tells them: the change log starts anew on another server', async () => {
  const page = await app.gql('{ viewer { feeds(first: 5) { nodes { id feedKey } } } }', {}, token);
  const [first] = page.data.viewer.feeds.nodes;
  const marked = await app.gql(
    'mutation ($id: ID!) { setFeedState(input: { feedIds: [$id], pinned: true }) { ... on SetFeedStatePayload { results { feed { pin } } } } }',
    { id: first.id },
    token,
  );
  expect(marked.data.setFeedState.results).toEqual([{ feed: { pin: true } }]);
  const log = await app.services.db.rows('SELECT feed_key FROM change_log', []);
  expect(log.map(([key]) => Number(key))).toContain(first.feedKey);
});
