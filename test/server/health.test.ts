import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { StorageMissingError } from '../../src/core/context/storage.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { startS3Server } from '../support/s3-server.ts';

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

it('is ready while steps of a migration are under way, and names them', async () => {
  const { steps } = app.services;
  const underWay = vi.spyOn(steps, 'underWay').mockReturnValue('2_more/step-1-index');
  expect(await app.rest('/readyz')).toMatchObject({
    status: 200,
    text: 'ready; under way: 2_more/step-1-index',
  });
  underWay.mockRestore();
});

it('is not ready, and does not start, without the bucket of its storage', async () => {
  const server = await startS3Server();
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: server.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: server.credentials.secretAccessKey,
  });
  const startWith = (bucket: string) =>
    startApp({ env: { STORAGE: `s3://${bucket}/trivium?endpoint=${server.endpoint}` } });
  await expect(startWith('other')).rejects.toThrow('STORAGE: there is no bucket other');
  const one = await startWith('images');
  try {
    one.services.storage.check = () => Promise.reject(new StorageMissingError('gone'));
    expect(await one.rest('/readyz')).toMatchObject({ status: 503, text: 'storage not available' });
    expect((await one.rest('/readyz')).headers.get('retry-after')).toBe('2');
    expect((await one.rest('/healthz')).status).toBe(200);
  } finally {
    await one.close();
    await server.close();
  }
});
