import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { BASE_PATH: '/gateway' } });
});
afterAll(() => app.close());

it('F001 serves every path below BASE_PATH', async () => {
  expect((await app.rest('/task/v1/feeds/list')).status).toBe(401);
  expect(app.url).toMatch(/\/gateway$/);
  const outside = await fetch(app.url.replace('/gateway', '/task/v1/feeds/list'));
  expect(outside.status).toBe(404);
});

it('tells that the process lives and that the database answers', async () => {
  expect(await app.rest('/healthz')).toMatchObject({ status: 200, text: 'ok' });
  expect(await app.rest('/readyz')).toMatchObject({ status: 200, text: 'ready' });
});
