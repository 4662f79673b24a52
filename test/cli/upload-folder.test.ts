import { randomUUID } from 'node:crypto';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { explainFailure } from '../../src/commands/support/explain-failure.ts';
import { openGateway } from '../../src/commands/upload/open-gateway.ts';
import { readDataset } from '../../src/commands/upload/remote-dataset.ts';
import { retryingFetch } from '../../src/commands/upload/retrying-fetch.ts';
import { scanFolder } from '../../src/commands/upload/scan-folder.ts';
import { openSender } from '../../src/commands/upload/send-image.ts';
import { uploadFolder, type UploadOutcome } from '../../src/commands/upload/upload-folder.ts';
import { UploadJournal } from '../../src/commands/upload/upload-journal.ts';
import {
  checksum,
  decrypt,
  enableEncryption,
  encrypt,
  exportKey,
  importKey,
  makeKey,
  openWorkspace,
  type WorkspaceKey,
} from '../../src/sdk/e2ee.ts';
import { startDatasetApp, type DatasetApp } from '../support/datasets.ts';
import { freePort } from '../support/free-port.ts';
import { jpeg } from '../support/images.ts';
import { cliProgram } from '../support/trivium.ts';

const KEY = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';
let app: DatasetApp;
let folder: string;
let photo: Buffer;
beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  photo = await jpeg(40, 30);
});
afterAll(() => app.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-folder-'));
  for (const path of ['a.jpg', 'deep/er/b.jpg', 'deep/c.jpg'])
    put(path, Buffer.concat([photo, Buffer.from(path)]));
  put('notes.txt', 'no image');
  put('.hidden.jpg', photo);
  symlinkSync(join(folder, 'a.jpg'), join(folder, 'link.jpg'));
  // Of a path of any length.
  return () => execFileSync('rm', ['-rf', folder]);
});

function put(path: string, content: string | Buffer): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), content);
}
const pathsOf = async (dataset: string): Promise<string[]> => {
  const { data } = await app.gql(
    'query ($u: UUID!) { dataset(uuid: $u) { images(first: 100) { nodes { path } } } }',
    { u: dataset },
    app.tokens.owner,
  );
  return data.dataset.images.nodes.map(({ path }: { path: string }) => path).sort();
};

/** Begins to move a workspace from one key to another. */
async function beginKeyChange(
  workspace: string,
  oldKey: WorkspaceKey,
  newKey: WorkspaceKey,
): Promise<void> {
  const found = await app.gql(
    'query ($u: UUID!) { workspace(uuid: $u) { id } }',
    { u: workspace },
    app.tokens.owner,
  );
  const begun = await app.gql(
    'mutation ($input: BeginKeyRotationInput!) { beginKeyRotation(input: $input) { __typename } }',
    {
      input: {
        workspaceId: found.data.workspace.id,
        checksum: await checksum(oldKey, workspace),
        newChecksum: await checksum(newKey, workspace),
      },
    },
    app.tokens.owner,
  );
  expect(begun.data.beginKeyRotation.__typename).toBe('BeginKeyRotationPayload');
}

/** Uploads the folder as the command does; `sent` counts what went over the wire. */
async function upload(
  dataset: string,
  {
    stopAfter = Infinity,
    state = 'state',
    keyFile,
    token = app.tokens.owner,
    beforeSent = () => undefined,
  }: {
    stopAfter?: number;
    state?: string;
    keyFile?: string;
    token?: string;
    /** Called before an image is sent. */
    beforeSent?: (sent: number) => unknown;
  } = {},
): Promise<UploadOutcome & { sent: number }> {
  let sent = 0;
  const stop = new AbortController();
  const counting: typeof fetch = async (target, init) => {
    if (typeof target === 'string' && target.endsWith('/addImage')) await beforeSent(++sent);
    return fetch(target, init);
  };
  const gateway = await openGateway({ url: app.url }, counting, { TRIVIUM_TOKEN: token });
  const there = await readDataset(gateway, dataset);
  const { images, unreadable } = await scanFolder(folder);
  let done = 0;
  const outcome = await uploadFolder({
    gateway,
    datasetId: dataset,
    dataset: there,
    sender: await openSender(gateway, dataset, there, keyFile),
    journal: await UploadJournal.open(join(app.folder, state), { gateway: app.url, dataset }),
    images,
    unreadable,
    parallel: 1,
    stop: stop.signal,
    onImage: () => {
      if (++done === stopAfter) stop.abort();
    },
  });
  return { ...outcome, sent };
}

/** Runs the command; `limit` bounds its files, in blocks of 512 bytes, as a full disk does. */
async function run(
  args: string[],
  env: Record<string, string>,
  onStart?: (child: ChildProcess) => void,
  limit: number | 'unlimited' = 'unlimited',
): Promise<{ code: number; stdout: string; stderr: string }> {
  const command = [process.execPath, cliProgram, 'images', 'upload', folder, ...args];
  const child = spawn('sh', ['-c', `ulimit -f ${limit}; exec "$@"`, 'sh', ...command], {
    env: { ...process.env, ...env },
  });
  onStart?.(child);
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (piece) => (said.stdout += String(piece)));
  child.stderr.on('data', (piece) => (said.stderr += String(piece)));
  const [code] = await once(child, 'close');
  return { code, ...said };
}

test('where nobody listens, an upload says so in one line after its last attempt', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const insistent = retryingFetch(new AbortController().signal, { firstMs: 1 });
  const unreachable = `the gateway ${url} can not be reached: connect ECONNREFUSED`;
  const signIn = openGateway({ url, login: 'owner' }, insistent, { TRIVIUM_PASSWORD: 'x' });
  await expect(signIn).rejects.toThrow(unreachable);
  const gateway = await openGateway({ url }, insistent, { TRIVIUM_TOKEN: 'x' });
  const failure = await readDataset(gateway, randomUUID()).catch(explainFailure);
  expect(failure).toMatchObject({
    exit: { code: 1 },
    message: expect.stringMatching(new RegExp(`^error: ${unreachable} .*$`)),
  });
});

test('trivium images upload sends a folder with its paths, and names what it passes over', async () => {
  const dataset = await app.dataset(await app.workspace());
  const env = { TRIVIUM_TOKEN: app.tokens.owner, TRIVIUM_URL: app.url };
  const first = await run(['--dataset', dataset, '--json'], env);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(first.stdout)).toEqual({
    dataset,
    uploaded: 3,
    present: 0,
    failed: [],
    left: 0,
    skipped: [
      { path: '.hidden.jpg', reason: 'hidden' },
      { path: 'link.jpg', reason: 'a link, which is not followed' },
      { path: 'notes.txt', reason: expect.stringContaining('no image') },
    ],
  });
  expect(await pathsOf(dataset)).toEqual(['a.jpg', 'deep/c.jpg', 'deep/er/b.jpg']);
  put('a.jpg', await jpeg(30, 40));
  put('new.jpg', photo);
  const second = await run(['--dataset', dataset], env);
  expect(second).toMatchObject({
    code: 3,
    stdout: `${folder}: 1 uploaded, 2 there already, 1 failed, 3 passed over\n`,
  });
  expect(second.stderr).toContain('a.jpg: the dataset has another image under this path');
  expect(
    await run(['--dataset', dataset], { TRIVIUM_URL: app.url, TRIVIUM_TOKEN: '' }),
  ).toMatchObject({ code: 2 });
  expect(await run(['--dataset', 'x'], env)).toMatchObject({ code: 2 });
}, 120_000);

test('every kind of image is sent that the gateway takes', async () => {
  const whole = sharp(photo);
  const kinds = {
    'a.jpg': whole.clone().jpeg({ progressive: true }),
    'b.png': whole.clone().png(),
    'c.webp': whole.clone().webp(),
    'd.gif': whole.clone().gif(),
    'e.tif': whole.clone().tiff(),
    'f.tif': whole.clone().tiff({ bigtiff: true }),
    'g.avif': whole.clone().avif(),
  };
  for (const [name, image] of Object.entries(kinds)) put(`kinds/${name}`, await image.toBuffer());
  const dataset = await app.dataset(await app.workspace());
  expect(await upload(dataset, { state: 'kinds' })).toMatchObject({ uploaded: 10, failed: [] });
  const sent = (await pathsOf(dataset)).filter((path) => path.startsWith('kinds/'));
  expect(sent).toEqual(Object.keys(kinds).map((name) => `kinds/${name}`));
});

test('--login signs in, and out again at the end', async () => {
  const workspace = await app.workspace();
  const dataset = await app.dataset(workspace);
  await app.member(workspace, 'other', 'DEVELOPER');
  const password = 'as long as it has to be';
  await app.load([{ record: 'user', login: 'other', domain: 'one', password }]);
  const { session } = app.services.db.prisma;
  const sessions = (): Promise<{ revokedAt: Date | null }[]> =>
    session.findMany({ where: { user: { login: 'other' } }, select: { revokedAt: true } });
  const before = (await sessions()).length;
  const env = { TRIVIUM_URL: app.url, TRIVIUM_PASSWORD: password };
  const args = ['--dataset', dataset, '--login', 'other', '--json'];
  expect(await run(args, env)).toMatchObject({ code: 0, stderr: '' });
  const after = await sessions();
  expect([after.length, after.filter(({ revokedAt }) => revokedAt === null)]).toEqual([
    before + 1,
    [],
  ]);
}, 60_000);

test('a file or folder that can not be read has failed; the others are sent', async () => {
  const dataset = await app.dataset(await app.workspace());
  // Their paths are too long for the system, which holds for every user, whatever the user may read.
  const levels = Math.floor((4090 - folder.length) / 201);
  const deep = join(folder, ...Array.from({ length: levels }, () => 'd'.repeat(200)));
  mkdirSync(deep, { recursive: true });
  const [below, file] = ['b'.repeat(250), `${'f'.repeat(246)}.jpg`];
  execFileSync('sh', ['-c', 'mkdir "$0" && cp "$1" "$2"', below, join(folder, 'a.jpg'), file], {
    cwd: deep,
  });
  const env = { TRIVIUM_TOKEN: app.tokens.owner, TRIVIUM_URL: app.url };
  const { code, stdout } = await run(['--dataset', dataset, '--json'], env);
  const { uploaded, failed } = JSON.parse(stdout);
  expect([code, uploaded]).toEqual([3, 3]);
  expect(failed).toEqual(
    [below, file].map((name) => ({
      path: expect.stringMatching(`/${name}$`),
      reason: expect.stringContaining('ENAMETOOLONG'),
    })),
  );
  expect((await pathsOf(dataset)).length).toBe(3);
}, 120_000);

test('an upload that was stopped goes on later, and nothing is sent twice, with or without its state', async () => {
  const dataset = await app.dataset(await app.workspace());
  expect(await upload(dataset, { stopAfter: 1 })).toMatchObject({ uploaded: 1, left: 2, sent: 1 });
  expect(await upload(dataset)).toMatchObject({ uploaded: 2, present: 1, left: 0, sent: 2 });
  expect(await upload(dataset)).toMatchObject({ uploaded: 0, present: 3, sent: 0 });
  expect(await upload(dataset, { state: 'another' })).toMatchObject({ present: 3, sent: 0 });
  const { images } = await scanFolder(folder);
  const file = join(app.folder, 'another');
  const journal = await UploadJournal.open(file, { gateway: app.url, dataset });
  expect(images.map((image) => journal.of(image)?.path)).toEqual(images.map(({ path }) => path));
  await expect(UploadJournal.open(file, { gateway: app.url, dataset: 'other' })).rejects.toThrow(
    'give --state another file',
  );
});

test.each([
  [
    'the session ends',
    'Session token missing or invalid',
    (token: string) => app.rest('/session', token, { method: 'DELETE' }),
  ],
  [
    'the dataset is published',
    'published',
    (token: string, dataset: string) =>
      app.post('/api/Datasets/publish', { datasetId: dataset }, token),
  ],
])('nothing more is sent once %s, and the reason is told once', async (_, why, end) => {
  const dataset = await app.dataset(await app.workspace());
  const token = await app.signedIn('owner');
  const begun: number[] = [];
  const uploaded = upload(dataset, {
    token,
    state: randomUUID(),
    beforeSent: async (sent) => {
      begun.push(sent);
      if (sent === 2) await end(token, dataset);
    },
  });
  const error: unknown = await uploaded.catch((thrown: unknown) => thrown);
  const { exit, message } = explainFailure(error);
  expect([exit.code, message]).toEqual([2, expect.stringContaining(`${app.url}: `)]);
  expect(message).toContain(why);
  expect(begun).toEqual([1, 2]);
  expect(await pathsOf(dataset)).toEqual(['a.jpg']);
});

test('nothing more is sent once the workspace changes its key', async () => {
  const workspace = await app.workspace();
  const dataset = await app.dataset(workspace);
  const [oldKey, newKey] = [await importKey(KEY), await makeKey()];
  await enableEncryption({ baseUrl: app.url, token: app.tokens.owner }, workspace, oldKey);
  const keyFile = join(app.folder, 'key-of-changed');
  writeFileSync(keyFile, KEY);
  const begun: number[] = [];
  const uploaded = upload(dataset, {
    state: randomUUID(),
    keyFile,
    beforeSent: async (sent) => {
      begun.push(sent);
      if (sent === 2) await beginKeyChange(workspace, oldKey, newKey);
    },
  });
  const error: unknown = await uploaded.catch((thrown: unknown) => thrown);
  expect(explainFailure(error)).toMatchObject({
    exit: { code: 2 },
    message: expect.stringContaining('has another key by now'),
  });
  expect(begun).toEqual([1, 2]);
  expect(await pathsOf(dataset)).toEqual(['a.jpg']);
});

test('a state of which a full disk has kept nothing, or a part, is begun again; a folder or a full disk is named', async () => {
  const dataset = await app.dataset(await app.workspace());
  await upload(dataset, { state: 'whole' });
  const whole = readFileSync(join(app.folder, 'whole'), 'utf8');
  for (const length of [0, 30]) {
    writeFileSync(join(app.folder, 'cut'), whole.slice(0, length));
    expect(await upload(dataset, { state: 'cut' })).toMatchObject({ present: 3, sent: 0 });
    expect(readFileSync(join(app.folder, 'cut'), 'utf8')).toBe(whole);
  }
  const of = { gateway: app.url, dataset };
  await expect(UploadJournal.open(app.folder, of)).rejects.toThrow(`${app.folder}: is a folder`);
  const env = { TRIVIUM_TOKEN: app.tokens.owner, TRIVIUM_URL: app.url };
  const file = join(app.folder, 'full');
  expect(await run(['--dataset', dataset, '--state', file], env, undefined, 0)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(new RegExp(`^no space for ${file}: .*$`, 'm')),
  });
  expect(await run(['--dataset', dataset, '--state', file], env)).toMatchObject({ code: 0 });
}, 120_000);

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s ends what is being sent; the same command goes on',
  async (signal) => {
    const dataset = await app.dataset(await app.workspace());
    for (let n = 0; n < 40; n++) put(`many/${n}.jpg`, Buffer.concat([photo, Buffer.from([n])]));
    const env = { TRIVIUM_TOKEN: app.tokens.owner, TRIVIUM_URL: app.url };
    const args = ['--dataset', dataset, '--parallel', '1', '--json'];
    const state = join(folder, `.trivium-upload-${dataset}`);
    let child: ChildProcess | undefined;
    const running = run(args, env, (started) => (child = started));
    await expect
      .poll(() => existsSync(state) && readFileSync(state, 'utf8').split('\n').length > 3, {
        timeout: 60_000,
      })
      .toBe(true);
    child?.kill(signal);
    const stopped = await running;
    expect(stopped.code).toBe(1);
    expect(stopped.stderr).toContain('run the same command again to go on');
    const { uploaded, left } = JSON.parse(stopped.stdout);
    expect([uploaded + left, (await pathsOf(dataset)).length]).toEqual([43, uploaded]);
    const rest = await run(args, env);
    expect(JSON.parse(rest.stdout)).toMatchObject({ uploaded: left, present: uploaded, left: 0 });
  },
  120_000,
);

/** Uploads through a server that passes on what only reads; an upload of an image is left to `onImage`. */
async function uploadThrough(
  onImage: (response: ServerResponse, child: ChildProcess | undefined) => void,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const dataset = await app.dataset(await app.workspace());
  let child: ChildProcess | undefined;
  const between = createServer((request, response) => {
    if (request.url === '/api/Images/addImage') {
      request.resume();
      return onImage(response, child);
    }
    void buffer(request).then(async (body) => {
      const { method = 'GET', url = '' } = request;
      const headers = {
        'x-service-csrf-token-x': app.tokens.owner,
        'content-type': 'application/json',
      };
      const sent = { method, headers, ...(method === 'POST' && { body: body.toString() }) };
      const answer = await fetch(app.url + url, sent);
      response.setHeader('content-type', 'application/json');
      response.writeHead(answer.status).end(await answer.text());
    });
  }).listen(0, '127.0.0.1');
  await once(between, 'listening');
  const url = `http://127.0.0.1:${(between.address() as AddressInfo).port}`;
  const env = { TRIVIUM_TOKEN: app.tokens.owner, TRIVIUM_URL: url };
  const args = ['--dataset', dataset, '--parallel', '1', '--json'];
  try {
    return await run(args, env, (started) => (child = started));
  } finally {
    between.closeAllConnections();
    between.close();
  }
}

test('an upload that is stopped does not wait to ask a busy gateway again', async () => {
  const { code, stdout, stderr } = await uploadThrough((response, child) => {
    response.writeHead(503, { 'retry-after': '30' }).end();
    response.once('close', () => child?.kill('SIGINT'));
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining('run the same command again')]);
  expect(JSON.parse(stdout)).toMatchObject({ uploaded: 0, failed: [], left: 3 });
});

test('a second signal ends what is being sent, too, and it is said how to go on', async () => {
  const { code, stdout, stderr } = await uploadThrough((_, child) => {
    // Two kinds: two of one kind at once could be one.
    child?.kill('SIGINT');
    child?.kill('SIGTERM');
  });
  const { error } = JSON.parse(stderr);
  expect([code, error.message]).toEqual([
    1,
    'stopped: 3 images are left; run the same command again to go on',
  ]);
  expect(JSON.parse(stdout)).toMatchObject({ uploaded: 0, failed: [], left: 3 });
});

test('an image of more than two gigabytes has failed; the others are sent', async () => {
  const dataset = await app.dataset(await app.workspace());
  put('huge.tif', 'II*\0');
  truncateSync(join(folder, 'huge.tif'), 2 ** 31);
  const env = { TRIVIUM_TOKEN: app.tokens.owner, TRIVIUM_URL: app.url };
  const { code, stdout } = await run(['--dataset', dataset, '--json'], env);
  expect([code, JSON.parse(stdout)]).toMatchObject([
    3,
    { uploaded: 3, failed: [{ path: 'huge.tif', reason: 'more than 2 GiB are not sent' }] },
  ]);
}, 120_000);

test('what was deleted from the dataset is sent again', async () => {
  const dataset = await app.dataset(await app.workspace());
  await upload(dataset, { state: 'deleted' });
  const found = await app.gql(
    'query ($u: UUID!) { dataset(uuid: $u) { imageByPath(path: "a.jpg") { uuid } } }',
    { u: dataset },
    app.tokens.owner,
  );
  const imageId = found.data.dataset.imageByPath.uuid;
  await app.data(app.post('/api/Images/delete', { imageId }));
  expect(await upload(dataset, { state: 'deleted' })).toMatchObject({ uploaded: 1, present: 2 });
});

test('images of an encrypted workspace are encrypted here; a wrong key sends nothing', async () => {
  const workspace = await app.workspace();
  const dataset = await app.dataset(workspace);
  const gateway = { baseUrl: app.url, token: app.tokens.owner };
  const key = await importKey(KEY);
  await enableEncryption(gateway, workspace, key);
  const keyFile = join(app.folder, 'key');
  writeFileSync(keyFile, `${'0'.repeat(64)}\n`);
  await expect(upload(dataset, { state: 'encrypted', keyFile })).rejects.toThrow('does not belong');
  writeFileSync(keyFile, `${KEY}\n`);
  expect(await upload(dataset, { state: 'encrypted', keyFile })).toMatchObject({
    uploaded: 3,
    sent: 3,
  });
  // Without its state, what is there is decrypted and compared.
  expect(await upload(dataset, { state: 'lost', keyFile })).toMatchObject({ present: 3, sent: 0 });
  const found = await app.gql(
    'query ($u: UUID!) { dataset(uuid: $u) { imageByPath(path: "deep/c.jpg") { uuid width encrypted } } }',
    { u: dataset },
    app.tokens.owner,
  );
  const { uuid, ...rest } = found.data.dataset.imageByPath;
  expect(rest).toEqual({ width: 40, encrypted: true });
  const opened = await openWorkspace(gateway, workspace, key);
  expect(Buffer.from(await opened.download(uuid))).toEqual(
    Buffer.concat([photo, Buffer.from('deep/c.jpg')]),
  );
});

test('what is refused before the first image is told without a stack', async () => {
  const workspace = await app.workspace();
  const dataset = await app.dataset(workspace);
  const key = await importKey(KEY);
  await enableEncryption({ baseUrl: app.url, token: app.tokens.owner }, workspace, key);
  const keyFile = join(app.folder, 'key-of-refused');
  writeFileSync(keyFile, KEY);
  const broken = new ReadableStream({
    pull: (controller) => controller.error(new TypeError('terminated')),
  });
  for (const [answer, message] of [
    [new Response('<h1>Forbidden</h1>', { status: 403 }), 'the gateway answered 403'],
    [new Response(broken), 'the reply of the gateway broke off'],
  ] as const) {
    const refusing: typeof fetch = (target, init) =>
      typeof init?.body === 'string' && init.body.includes('VerifyKey(')
        ? Promise.resolve(answer)
        : fetch(target, init);
    const gateway = await openGateway({ url: app.url }, refusing, {
      TRIVIUM_TOKEN: app.tokens.owner,
    });
    const there = await readDataset(gateway, dataset);
    const opened = openSender(gateway, dataset, there, keyFile).catch(explainFailure);
    expect(await opened).toMatchObject({ exit: { code: 2 }, message });
  }
});

test('while a key is changed both are taken; an image that can not be opened fails alone', async () => {
  const workspace = await app.workspace();
  const dataset = await app.dataset(workspace);
  const gateway = { baseUrl: app.url, token: app.tokens.owner };
  const [oldKey, newKey] = [await importKey(KEY), await makeKey()];
  await enableEncryption(gateway, workspace, oldKey);
  const opened = await openWorkspace(gateway, workspace, oldKey);
  const send = (path: string, bytes: Buffer): Promise<string> =>
    opened.upload({
      datasetId: dataset,
      fileName: path,
      path,
      image: Uint8Array.from(bytes),
      thumbnail: Uint8Array.from(photo),
      width: 40,
      height: 30,
    });
  // Content that is the same here, whose stored bytes somebody exchanged, and that has no proof and another key.
  await send('a.jpg', Buffer.concat([photo, Buffer.from('a.jpg')]));
  const [one, two] = [await send('forged.jpg', photo), await send('other.jpg', photo)];
  await app.services.db.rows(
    'UPDATE image SET blob_id = (SELECT blob_id FROM image WHERE id = $2) WHERE id = $1 RETURNING id',
    [one, two],
  );
  const lost = await importKey('f'.repeat(64));
  let cipher: Uint8Array;
  const opens = (): Promise<boolean> =>
    decrypt(oldKey, cipher).then(
      () => true,
      () => false,
    );
  // A wrong key passes once in about 256 times.
  do cipher = await encrypt(lost, photo);
  while (await opens());
  await app.data(
    app.upload({
      DatasetId: dataset,
      FileName: 'lost.jpg',
      Path: 'lost.jpg',
      Image: Buffer.from(cipher),
      Thumbnail: Buffer.from(await encrypt(lost, photo)),
      Width: '40',
      Height: '30',
    }),
  );
  for (const path of ['forged.jpg', 'lost.jpg']) put(path, photo);
  await beginKeyChange(workspace, oldKey, newKey);

  const env = { TRIVIUM_TOKEN: app.tokens.owner, TRIVIUM_URL: app.url };
  const args = ['--dataset', dataset, '--json'];
  const failures = [
    { path: 'forged.jpg', reason: expect.stringContaining('not what a holder of the key') },
    { path: 'lost.jpg', reason: expect.stringContaining('can not be opened') },
  ];
  const withOld = await run(args, { ...env, TRIVIUM_WORKSPACE_KEY: KEY });
  expect(withOld.code).toBe(3);
  const needed = expect.stringContaining("needs the workspace's key number 2");
  expect(JSON.parse(withOld.stdout)).toMatchObject({
    uploaded: 0,
    present: 1,
    failed: [
      { path: 'deep/c.jpg', reason: needed },
      { path: 'deep/er/b.jpg', reason: needed },
      ...failures,
    ],
  });
  const newText = Buffer.from(await exportKey(newKey)).toString('base64');
  const withBoth = await run(args, { ...env, TRIVIUM_WORKSPACE_KEY: `${KEY} ${newText}` });
  expect(withBoth.code).toBe(3);
  expect(JSON.parse(withBoth.stdout)).toMatchObject({ uploaded: 2, present: 1, failed: failures });
}, 120_000);

test('a gateway that has answered may be away for a while; another one is given up sooner', async () => {
  let [asked, down] = [0, true];
  const server = createServer((request, response) => {
    asked++;
    if (down) request.socket.destroy();
    else response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = retryingFetch(new AbortController().signal, { firstMs: 1 });
  const get = async (): Promise<number> => (await ask(`http://127.0.0.1:${port}`)).status;
  await expect(get()).rejects.toThrow('fetch failed');
  expect(asked).toBe(3);
  down = false;
  expect(await get()).toBe(200);
  [asked, down] = [0, true];
  await expect(get()).rejects.toThrow('fetch failed');
  expect(asked).toBe(8);
  server.closeAllConnections();
  server.close();
});

test('a reply that breaks off is asked for again', async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    if (++asked > 2) return response.end('{"data":1}');
    response.writeHead(200, { 'content-length': '10' }).write('{"da');
    return setImmediate(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = retryingFetch(new AbortController().signal, { firstMs: 1 });
  const response = await ask(`http://127.0.0.1:${port}`);
  expect([await response.json(), response.status, asked]).toEqual([{ data: 1 }, 200, 3]);
  server.closeAllConnections();
  server.close();
});

test('a gateway that is busy is asked again', async () => {
  // A dataset path says 500 for 503.
  const statuses = [503, 500, 429, 200];
  const server = createServer((_, response) => {
    response.statusCode = statuses.shift() ?? 500;
    response.setHeader('retry-after', '0');
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const response = await retryingFetch(new AbortController().signal, { firstMs: 1 })(
    `http://127.0.0.1:${port}`,
  );
  expect([response.status, statuses]).toEqual([200, []]);
  await response.body?.cancel();
  server.closeAllConnections();
  server.close();
});
