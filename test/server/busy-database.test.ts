import { afterAll, beforeAll, expect, it } from 'vitest';
import type pg from 'pg';
import { startTracker, TASKS, type Tracker } from '../support/tracker.ts';

let app: Tracker;
let token: string;
/** Every connection that the gateway may have. */
let held: pg.PoolClient[] = [];

beforeAll(async () => {
  app = await startTracker();
  token = await app.signedIn('sue');
  const { pool } = app.services.db;
  const all = Array.from({ length: pool.options.max }, () => pool.connect());
  held = await Promise.all(all);
  pool.options.connectionTimeoutMillis = 50;
});
afterAll(async () => {
  for (const client of held) client.release();
  await app.close();
});

const json = { 'content-type': 'application/json' };
const retry = (headers: Headers): string | null => headers.get('retry-after');

it.each([
  ['feeds', '/task/v1/feeds/list', { status: 'ER', errorCode: 'E302' }],
  ['workspaces', '/api/Workspaces', { isSuccess: false, errorCodes: ['TIMEOUT'] }],
])(
  'while every connection to the database is in use, %s are told to try again',
  async (_, path, body) => {
    const answer = await app.rest(path, token);
    expect(answer).toMatchObject({ status: 503, json: body });
    expect(retry(answer.headers)).toBe('2');
  },
);

it('so is who creates a task or a workspace', async () => {
  const task = await app.post(TASKS, { name: 'Count' });
  expect(task).toMatchObject({ status: 503, json: { status: 503 } });
  expect(retry(task.headers)).toBe('2');
  const created = await app.rest('/api/Workspaces/create', token, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ name: 'W' }),
  });
  expect(created).toMatchObject({ status: 503, json: { isSuccess: false } });
  expect(retry(created.headers)).toBe('2');
});

it('so is who asks by GraphQL', async () => {
  const { errors } = await app.gql('{ viewer { feeds { nodes { id } } } }', {}, token);
  expect(errors).toMatchObject([{ extensions: { code: 'SERVICE_UNAVAILABLE', retryAfter: 2 } }]);
});
