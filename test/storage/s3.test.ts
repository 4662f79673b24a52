import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { S3Client, UploadPartCommand } from '@aws-sdk/client-s3';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { StorageMissingError } from '../../src/core/context/storage.ts';
import { openS3Store } from '../../src/storage/s3.ts';
import { startS3Server } from '../support/s3-server.ts';
import { describeStorage } from '../support/storage-contract.ts';

const MIB = 1024 * 1024;

describeStorage('s3', async () => {
  const server = await startS3Server();
  const stagingFolder = await mkdtemp(join(tmpdir(), 'trivium-staging-'));
  const store = openS3Store({
    ...server,
    prefix: 'some/prefix',
    region: 'us-east-1',
    stagingFolder,
  });
  return {
    store,
    async close() {
      await store.close();
      await server.close();
      await rm(stagingFolder, { recursive: true });
    },
  };
});

test('drops the staged file when the server can not be reached', async () => {
  const stagingFolder = await mkdtemp(join(tmpdir(), 'trivium-staging-'));
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const store = openS3Store({
    bucket: 'images',
    prefix: '',
    region: 'us-east-1',
    endpoint: 'http://127.0.0.1:9',
    stagingFolder,
    credentials,
  });
  const body = async function* (): AsyncGenerator<Uint8Array> {
    await Promise.resolve();
    yield Buffer.from('x');
  };
  await expect(store.put(await store.stage(body()), 'w/x')).rejects.toThrow();
  expect(await readdir(stagingFolder)).toEqual([]);
  await store.close();
  await rm(stagingFolder, { recursive: true });
});

test('a large object has parts of a size of which it needs no more than an object may have', async () => {
  const server = await startS3Server();
  const stagingFolder = await mkdtemp(join(tmpdir(), 'trivium-staging-'));
  const store = openS3Store({ ...server, prefix: '', region: 'us-east-1', stagingFolder });
  const send = vi.spyOn(S3Client.prototype, 'send');
  const staged = await store.stage(Readable.from([Buffer.alloc(23 * MIB)]));
  // As if it had 100 GB, which a test does not write.
  await store.put({ ...staged, size: 107_374_182_400 }, 'w/large');
  const parts = send.mock.calls.flatMap(([command]) =>
    command instanceof UploadPartCommand ? (command.input.Body as Uint8Array).length : [],
  );
  expect(parts).toEqual([10_737_419, 10_737_419, 23 * MIB - 2 * 10_737_419]);
  expect(await store.stat('w/large')).toMatchObject({ size: 23 * MIB });
  vi.restoreAllMocks();
  await store.close();
  await server.close();
  await rm(stagingFolder, { recursive: true });
});

test('a server that trickles is given up, one that is fast enough is not, however slow its reader', async () => {
  let rate = 1;
  const server = createServer((_, response) => {
    response.setHeader('content-length', 4_000_000).setHeader('etag', '"x"');
    const timer = setInterval(() => response.write(Buffer.alloc(rate)), 10);
    response.once('close', () => clearInterval(timer));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const stagingFolder = await mkdtemp(join(tmpdir(), 'trivium-staging-'));
  const store = openS3Store({
    bucket: 'images',
    prefix: '',
    region: 'us-east-1',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stagingFolder,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    answerWithin: 300,
  });
  const range = { start: 0, end: 3_999_999 };
  await expect(store.readInto('w/x', Buffer.alloc(4_000_000), 0)).rejects.toThrow(
    /the storage was silent, or slow, after \d+ bytes/,
  );
  rate = 100_000;
  let read = 0;
  for await (const chunk of store.get('w/x', range)) {
    if (read === 0) await new Promise((resolve) => setTimeout(resolve, 1_000));
    read += chunk.byteLength;
  }
  expect(read).toBe(4_000_000);
  await store.close();
  server.closeAllConnections();
  server.close();
  await rm(stagingFolder, { recursive: true });
});

test('tells of a bucket that is not there, and of none while the server is out of reach', async () => {
  const server = await startS3Server();
  const stagingFolder = await mkdtemp(join(tmpdir(), 'trivium-staging-'));
  const open = (bucket: string) =>
    openS3Store({ ...server, bucket, prefix: '', region: 'us-east-1', stagingFolder });
  await open('images').check();
  const other = open('other');
  await expect(other.check()).rejects.toBeInstanceOf(StorageMissingError);
  await server.close();
  await expect(other.check()).rejects.not.toBeInstanceOf(StorageMissingError);
  await rm(stagingFolder, { recursive: true });
});
