import { connect, type Socket } from 'node:net';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { interceptRows } from '../../support/intercept-rows.ts';
import { jpeg } from '../../support/images.ts';

/** Files that one user may be sent, or may send, at once. */
const MOST = 200;

let app: DatasetApp;
beforeAll(async () => {
  // One address may have as many connections as there are.
  app = await startDatasetApp('filesystem', { env: { TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => app.close());

it('a user who takes nothing of 200 files is sent no more of them, others are', async () => {
  const workspace = await app.workspace();
  const dataset = await app.dataset(workspace);
  await app.member(workspace, 'other', 'DEVELOPER');
  const image = await app.image(dataset, await jpeg());
  const { storage } = app.services;
  const get = storage.get.bind(storage);
  let go = (): void => undefined;
  const released = new Promise<void>((resolve) => (go = resolve));
  const ask = (path: string, token = app.tokens.owner): Promise<Response> =>
    fetch(`${app.url}/api/Images/${path}?imageId=${image}`, {
      headers: { 'x-service-csrf-token-x': token },
    });
  try {
    storage.get = async function* (key, range) {
      for await (const piece of get(key, range)) {
        yield piece.subarray(0, 1);
        await released;
        yield piece.subarray(1);
      }
    };
    const sent = await Promise.all(Array.from({ length: MOST }, () => ask('download')));
    expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await ask('downloadThumb');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
    expect(await refused.json()).toEqual({
      data: null,
      errorMessage: 'You are downloading 200 files: wait for one, then try again in 10 s',
      errorCodes: ['RATE_LIMITED'],
      isSuccess: false,
    });
    const other = await ask('downloadThumb', app.tokens.other);
    expect(other.status).toBe(200);
    go();
    const sizes = await Promise.all(sent.map(async (one) => (await one.arrayBuffer()).byteLength));
    expect(new Set(sizes).size).toBe(1);
    await other.arrayBuffer();
  } finally {
    go();
    storage.get = get;
  }
  await expect.poll(async () => (await ask('downloadThumb')).status).toBe(200);
});

it('a user to whom 200 manifests are being sent is sent no more of them', async () => {
  const dataset = await app.dataset(await app.workspace());
  await app.image(dataset, await jpeg());
  const ask = async (query: string): Promise<any> => {
    const { data } = await app.gql(query, {}, app.tokens.owner);
    return data;
  };
  const found = await ask(`{ dataset(uuid: "${dataset}") { id } }`);
  await ask(
    `mutation { createDatasetVersion(input: { datasetId: "${found.dataset.id}" }) { __typename } }`,
  );
  const urlOf = async (): Promise<string | null> =>
    (await ask(`{ dataset(uuid: "${dataset}") { versionByNumber(number: 1) { manifestUrl } } }`))
      .dataset.versionByNumber.manifestUrl;
  await expect.poll(urlOf, { timeout: 30_000 }).not.toBeNull();
  const url = String(await urlOf());
  const get = (): Promise<Response> =>
    fetch(url, { headers: { 'x-service-csrf-token-x': app.tokens.owner } });
  let [go, begun] = [(): void => undefined, 0];
  const released = new Promise<void>((resolve) => (go = resolve));
  const restore = interceptRows(app.services.db, (run) => async (text, ...rest) => {
    if (text.includes('octet_length(f.content) AS length')) {
      begun++;
      await released;
    }
    return run(text, ...rest);
  });
  const sent = Array.from({ length: MOST }, get);
  try {
    await expect.poll(() => begun, { timeout: 30_000 }).toBe(MOST);
    const refused = await get();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
  } finally {
    go();
    restore();
  }
  const texts = await Promise.all(sent.map(async (one) => (await one).text()));
  expect(new Set(texts).size).toBe(1);
  await expect.poll(async () => (await get()).status).toBe(200);
});

it('a user with 200 uploads under way begins no more of them, others do', async () => {
  const workspace = await app.workspace();
  const dataset = await app.dataset(workspace);
  await app.member(workspace, 'other', 'DEVELOPER');
  const { hostname, port } = new URL(app.url);
  const part = (name: string): string =>
    `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n`;
  const begin = (): Socket => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined).resume();
    socket.write(
      `POST /api/Images/addImage HTTP/1.1\r\nhost: x\r\nx-service-csrf-token-x: ${app.tokens.owner}\r\n` +
        'content-type: multipart/form-data; boundary=b\r\ncontent-length: 100000\r\n\r\n' +
        `${part('DatasetId')}${dataset}\r\n--b\r\ncontent-disposition: form-data; name="Image"; filename="a.jpg"\r\n\r\nbytes`,
    );
    return socket;
  };
  const staged = async (): Promise<number> =>
    (await readdir(join(app.folder, 'blobs', 'staging'))).length;
  const upload = (token = app.tokens.owner) =>
    jpeg().then((Image) => app.upload({ DatasetId: dataset, FileName: 'a.jpg', Image }, token));
  const sockets = Array.from({ length: MOST }, begin);
  try {
    await expect.poll(staged, { timeout: 10_000 }).toBe(MOST);
    const refused = await upload();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
    expect(refused.json).toMatchObject({
      errorMessage: 'You are uploading 200 files: wait for one, then try again in 10 s',
      errorCodes: ['RATE_LIMITED'],
    });
    expect((await upload(app.tokens.other)).status).toBe(200);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  await expect.poll(staged, { timeout: 10_000 }).toBe(0);
  expect((await upload()).status).toBe(200);
});
