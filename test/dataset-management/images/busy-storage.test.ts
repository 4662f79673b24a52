import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { failure, startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { jpeg } from '../../support/images.ts';

/** An object storage that answers every request in the same way. */
let answer = { status: 503, code: 'SlowDown' };
const server = createServer((request, response) => {
  request.resume();
  response.writeHead(answer.status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0"?><Error><Code>${answer.code}</Code></Error>`);
});
const failures: unknown[] = [];
let app: DatasetApp;
let DatasetId: string;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  process.env['AWS_ACCESS_KEY_ID'] = process.env['AWS_SECRET_ACCESS_KEY'] = 'none';
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: ({ err }: { err?: Error }) => failures.push(err?.message),
    fatal: () => undefined,
  };
  app = await startDatasetApp('filesystem', {
    env: { STORAGE: `s3://images?endpoint=http://127.0.0.1:${port}` },
    log,
  });
  DatasetId = await app.dataset(await app.workspace());
});
afterAll(async () => {
  await app.close();
  server.close();
});

const upload = async () => app.upload({ DatasetId, FileName: 'a.jpg', Image: await jpeg() });

test.each([
  [503, 'SlowDown', '2'],
  [500, 'InternalError', '2'],
  [403, 'AccessDenied', null],
])(
  'an upload into an object storage that answers %i %s says whether to try again: after %s s',
  async (status, code, retryAfter) => {
    answer = { status, code };
    failures.length = 0;
    const refused = await upload();
    expect(refused).toMatchObject(failure(500, 'INTERNAL_ERROR'));
    expect(refused.headers.get('retry-after')).toBe(retryAfter);
    expect(failures).toEqual([`the storage answered ${status} ${code}`]);
  },
);
