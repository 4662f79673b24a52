import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { organisation } from '../support/records.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  await app.load(organisation);
});
afterAll(() => app.close());

it('serves on after a statement failed', async () => {
  const token = await app.signedIn('ana');
  const list = (): Promise<number> =>
    app.rest('/task/v1/feeds/list', token).then(({ status }) => status);
  expect(await list()).toBe(200);
  for (let n = 0; n < 3; n++) {
    await expect(app.services.db.rows('SELECT * FROM no_such_table', [])).rejects.toThrow(
      'no_such_table',
    );
    expect(await list()).toBe(200);
  }
  await expect(
    app.services.db.transaction((client) => client.query('SELECT 1 / 0')),
  ).rejects.toThrow('zero');
  expect(await list()).toBe(200);
});

it('lives on when a connection is lost within a transaction', async () => {
  const lost = app.services.db.transaction((client) => {
    client.emit('error', new Error('Connection terminated unexpectedly'));
    return Promise.reject(new Error('lost'));
  });
  await expect(lost).rejects.toThrow('lost');
  expect((await app.rest('/readyz')).status).toBe(200);
});
