import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sweepStorage } from '../../../src/dataset-management/sweep/sweep-storage.ts';
import * as e2ee from '../../../src/sdk/e2ee.ts';
import { startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { NOON } from '../../support/app.ts';
import { cliProgram } from '../../support/trivium.ts';

const DAY = 24 * 3600 * 1000;
const small = { thumbnail: Buffer.from('thumbnail'), width: 30, height: 20 };
let app: DatasetApp;
let oldKey: e2ee.WorkspaceKey;
let newKey: e2ee.WorkspaceKey;
beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  [oldKey, newKey] = [await e2ee.makeKey(), await e2ee.makeKey()];
});
afterAll(() => app.close());

const gateway = (token = app.tokens.owner): e2ee.Gateway => ({ baseUrl: app.url, token });
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

/** An encrypted workspace with images of these texts. */
async function workspaceOf(...texts: string[]) {
  const id = await app.workspace();
  const datasetId = await app.dataset(id);
  await e2ee.enableEncryption(gateway(), id, oldKey);
  const opened = await e2ee.openWorkspace(gateway(), id, oldKey);
  const images: string[] = [];
  for (const one of texts)
    images.push(
      await opened.upload({ datasetId, fileName: `${one}.jpg`, image: Buffer.from(one), ...small }),
    );
  return { id, datasetId, images, opened };
}

const stateOf = async (uuid: string): Promise<any> => {
  const query =
    'query ($uuid: UUID!) { workspace(uuid: $uuid) { id keyNumber keyRotation { oldKeyNumber keyNumber imagesLeft deletedImagesLeft } } }';
  return (await app.gql(query, { uuid }, app.tokens.owner)).data.workspace;
};
const imageOf = async (uuid: string): Promise<any> => {
  const query =
    'query ($uuid: UUID!) { image(uuid: $uuid) { keyNumber sha256 proof name byteSize } }';
  return (await app.gql(query, { uuid }, app.tokens.owner)).data.image;
};
const mutate = async (name: string, input: object, token = app.tokens.owner): Promise<any> => {
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}`;
  const query = `mutation ($input: ${type}Input!) { ${name}(input: $input) { __typename ... on UserError { code message } } }`;
  return (await app.gql(query, { input }, token)).data[name];
};
const begin = async (workspaceId: string): Promise<any> => {
  const [checksum, newChecksum] = [
    await e2ee.checksum(oldKey, workspaceId),
    await e2ee.checksum(newKey, workspaceId),
  ];
  const { id } = await stateOf(workspaceId);
  return mutate('beginKeyRotation', { workspaceId: id, checksum, newChecksum });
};

describe('rotateWorkspaceKey', () => {
  test('moves every image and thumbnail to the new key, and the old one is valid no more', async () => {
    const { id, images } = await workspaceOf('a', 'b', 'c', 'd', 'e');
    const before = await Promise.all(images.map(imageOf));
    const steps: number[] = [];
    const onProgress = (done: number, all: number): void => void steps.push(done / all);
    expect(await e2ee.rotateWorkspaceKey(gateway(), id, { oldKey, newKey, onProgress })).toEqual({
      moved: 5,
      failed: [],
    });
    expect(steps.at(-1)).toBe(1);
    expect(await stateOf(id)).toMatchObject({ keyNumber: 2, keyRotation: null });
    await expect(e2ee.openWorkspace(gateway(), id, oldKey)).rejects.toThrow(e2ee.WrongKeyError);
    const opened = await e2ee.openWorkspace(gateway(), id, newKey);
    for (const [at, image] of images.entries()) {
      expect(text(await opened.download(image))).toBe('abcde'[at]);
      expect(text(await opened.downloadThumbnail(image))).toBe('thumbnail');
      const { sha256, proof, ...same } = await imageOf(image);
      expect(same).toEqual({ name: before[at].name, byteSize: before[at].byteSize, keyNumber: 2 });
      expect([sha256 === before[at].sha256, proof === before[at].proof]).toEqual([false, false]);
    }
    // Once more is no change, whoever asks.
    expect(await e2ee.rotateWorkspaceKey(gateway(), id, { oldKey, newKey })).toEqual({
      moved: 0,
      failed: [],
    });
  });

  test('meanwhile both keys are valid, each image says which is its own, and uploads use the new one', async () => {
    const { id, datasetId, images, opened } = await workspaceOf('old');
    expect(await begin(id)).toMatchObject({ __typename: 'BeginKeyRotationPayload' });
    expect(await begin(id)).toMatchObject({ __typename: 'BeginKeyRotationPayload' });
    expect(await stateOf(id)).toMatchObject({
      keyNumber: 2,
      keyRotation: { oldKeyNumber: 1, keyNumber: 2, imagesLeft: 1, deletedImagesLeft: 0 },
    });
    const upload = { datasetId, fileName: 'new.jpg', image: Buffer.from('new'), ...small };
    // A client that knows the old key only, from before or opened now, can read but not upload.
    await expect(opened.upload(upload)).rejects.toMatchObject({ codes: ['WRONG_KEY_NUMBER'] });
    const one = await e2ee.openWorkspace(gateway(), id, oldKey);
    await expect(one.upload(upload)).rejects.toThrow(e2ee.WrongKeyError);
    expect(text(await one.download(images[0] ?? ''))).toBe('old');
    const both = await e2ee.openWorkspace(gateway(), id, [oldKey, newKey]);
    const added = await both.upload(upload);
    expect([(await imageOf(added)).keyNumber, (await imageOf(images[0] ?? '')).keyNumber]).toEqual([
      2, 1,
    ]);
    expect([text(await both.download(added)), text(await both.download(images[0] ?? ''))]).toEqual([
      'new',
      'old',
    ]);
    const { headers } = await app.download(`/api/Images/downloadThumb?imageId=${added}`);
    expect([headers.get('x-content-key'), headers.get('cache-control')]).toEqual([
      '2',
      'private, no-cache',
    ]);
    // One that names no key, because it knows of no other.
    const raw = await app.upload({
      DatasetId: datasetId,
      FileName: 'x.jpg',
      Image: Buffer.from(await e2ee.encrypt(oldKey, Buffer.from('x'))),
      Thumbnail: Buffer.from(await e2ee.encrypt(oldKey, Buffer.from('x'))),
      Width: '1',
      Height: '1',
    });
    expect(raw.json.errorCodes).toEqual(['WRONG_KEY_NUMBER']);
    const { moved } = await e2ee.rotateWorkspaceKey(gateway(), id, { oldKey, newKey });
    expect(moved).toBe(1);
  });

  test('goes on where it was interrupted, by another member; only owners begin and end', async () => {
    const { id } = await workspaceOf('a', 'b', 'c', 'd', 'e', 'f', 'g');
    await app.member(id, 'other', 'DEVELOPER');
    const other = gateway(app.tokens.other);
    await expect(e2ee.rotateWorkspaceKey(other, id, { oldKey, newKey })).rejects.toMatchObject({
      codes: ['FORBIDDEN'],
    });
    const stop = new AbortController();
    const onProgress = (): void => stop.abort();
    await expect(
      e2ee.rotateWorkspaceKey(gateway(), id, { oldKey, newKey, signal: stop.signal, onProgress }),
    ).rejects.toThrow();
    const left = (await stateOf(id)).keyRotation.imagesLeft;
    expect(left).toBeGreaterThan(0);
    expect(
      await mutate('finishKeyRotation', { workspaceId: (await stateOf(id)).id }),
    ).toMatchObject({ code: 'KEY_STILL_USED' });
    expect(await e2ee.resumeKeyRotation(other, id, { oldKey, newKey })).toEqual({
      moved: left,
      failed: [],
    });
    expect((await stateOf(id)).keyRotation.imagesLeft).toBe(0);
    await e2ee.rotateWorkspaceKey(gateway(), id, { oldKey, newKey });
    expect((await stateOf(id)).keyRotation).toBeNull();
  });

  test('that breaks off ends with what is on its way: nothing is sent afterwards', async () => {
    const { id } = await workspaceOf(...'abcdefgh');
    await begin(id);
    let [underWay, isBroken] = [0, false];
    const breaking: typeof fetch = async (url, init) => {
      if (typeof url === 'string' && url.endsWith('/addImage') && !isBroken) {
        isBroken = true;
        throw new TypeError('the line broke');
      }
      underWay++;
      return fetch(url, init).finally(() => underWay--);
    };
    const keys = { oldKey, newKey };
    const moving = e2ee.resumeKeyRotation({ ...gateway(), fetch: breaking }, id, keys);
    await expect(moving).rejects.toThrow('the line broke');
    expect(underWay).toBe(0);
    // That of the broken line, and the four that nobody had begun.
    expect((await stateOf(id)).keyRotation.imagesLeft).toBe(5);
    expect(await e2ee.resumeKeyRotation(gateway(), id, keys)).toEqual({ moved: 5, failed: [] });
  });

  test.each([
    'WorkspaceId',
    'VerifyKey',
    'BeginKeyRotation',
    'DatasetsOfWorkspace',
    'ImagesOfDataset',
    'FinishKeyRotation',
  ])('is not taken for done where a proxy answers %s', async (operation) => {
    const { id } = await workspaceOf('a');
    const proxy: typeof fetch = (url, init) =>
      typeof init?.body === 'string' && init.body.includes(`${operation}(`)
        ? Promise.resolve(new Response('<h1>Forbidden</h1>', { status: 403 }))
        : fetch(url, init);
    const keys = { oldKey, newKey };
    await expect(
      e2ee.rotateWorkspaceKey({ ...gateway(), fetch: proxy }, id, keys),
    ).rejects.toMatchObject({
      name: 'GatewayError',
      message: 'the gateway answered 403',
      codes: [],
    });
    await e2ee.rotateWorkspaceKey(gateway(), id, keys);
    expect(await stateOf(id)).toMatchObject({ keyNumber: 2, keyRotation: null });
  });

  test('goes on with the other images where the reply of one breaks off', async () => {
    const { id, images } = await workspaceOf('a', 'b', 'c');
    const breaking: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      if (!(url as string).endsWith(`/download?imageId=${images[1] ?? ''}`)) return response;
      const broken = new ReadableStream({
        pull: (controller) => controller.error(new TypeError('terminated')),
      });
      await response.body?.cancel();
      return new Response(broken, response);
    };
    const keys = { oldKey, newKey };
    const moved = await e2ee.rotateWorkspaceKey({ ...gateway(), fetch: breaking }, id, keys);
    const message = 'the reply of the gateway broke off';
    expect(moved).toMatchObject({ moved: 2, failed: [{ imageId: images[1], message }] });
    expect(await e2ee.rotateWorkspaceKey(gateway(), id, keys)).toEqual({ moved: 1, failed: [] });
  });

  test('by two at once destroys nothing: each image is replaced once', async () => {
    const { id, images } = await workspaceOf('a', 'b', 'c', 'd', 'e', 'f');
    await begin(id);
    const both = await Promise.all([
      e2ee.resumeKeyRotation(gateway(), id, { oldKey, newKey }),
      e2ee.resumeKeyRotation(gateway(), id, { oldKey, newKey }),
    ]);
    expect([both[0].moved + both[1].moved, both[0].failed, both[1].failed]).toEqual([6, [], []]);
    await e2ee.rotateWorkspaceKey(gateway(), id, { oldKey, newKey });
    const opened = await e2ee.openWorkspace(gateway(), id, newKey);
    for (const [at, image] of images.entries())
      expect(text(await opened.download(image))).toBe('abcdef'[at]);
  });

  test.each(['addImage', 'beginKeyRotation', 'finishKeyRotation', 'keyRotation', 'VerifyKey'])(
    'that another client ends before the first %s of this one is done, and is not if it was cancelled',
    async (request) => {
      for (const isCancelled of [false, true]) {
        const { id, images } = await workspaceOf('a');
        const keys = { oldKey, newKey };
        let other: Promise<unknown> | undefined;
        const meanwhile = async (): Promise<unknown> => {
          if (!isCancelled) return e2ee.rotateWorkspaceKey(gateway(), id, keys);
          await begin(id);
          return e2ee.cancelKeyRotation(gateway(), id, keys);
        };
        const late: typeof fetch = async (url, init) => {
          const text = `${url as string} ${typeof init?.body === 'string' ? init.body : ''}`;
          if (text.includes(request)) await (other ??= meanwhile());
          return fetch(url, init);
        };
        const rotating = e2ee.rotateWorkspaceKey({ ...gateway(), fetch: late }, id, keys);
        if (isCancelled && ['addImage', 'finishKeyRotation'].includes(request))
          await expect(rotating).rejects.toThrow();
        else expect(await rotating).toMatchObject({ failed: [] });
        const { keyNumber, keyRotation } = await stateOf(id);
        expect(keyRotation).toBeNull();
        const opened = await e2ee.openWorkspace(gateway(), id, keyNumber === 1 ? oldKey : newKey);
        expect(text(await opened.download(images[0] ?? ''))).toBe('a');
      }
    },
  );

  test('can be cancelled: what is moved goes back, and no number is given twice', async () => {
    const { id, images } = await workspaceOf('a', 'b');
    await begin(id);
    expect(await e2ee.cancelKeyRotation(gateway(), id, { oldKey, newKey })).toMatchObject({
      moved: 0,
    });
    expect(await stateOf(id)).toMatchObject({ keyNumber: 1, keyRotation: null });
    await begin(id);
    await e2ee.resumeKeyRotation(gateway(), id, { oldKey, newKey });
    expect((await imageOf(images[0] ?? '')).keyNumber).toBe(3);
    expect(await e2ee.cancelKeyRotation(gateway(), id, { oldKey, newKey })).toMatchObject({
      moved: 2,
    });
    expect(await stateOf(id)).toMatchObject({ keyNumber: 1, keyRotation: null });
    const opened = await e2ee.openWorkspace(gateway(), id, oldKey);
    expect(text(await opened.download(images[1] ?? ''))).toBe('b');
    await expect(e2ee.openWorkspace(gateway(), id, newKey)).rejects.toThrow(e2ee.WrongKeyError);
  });

  test('does not move what somebody exchanged in the database, and says so', async () => {
    const { id, images } = await workspaceOf('a', 'b', 'c');
    const [a = '', b = ''] = images;
    await app.services.db.rows(
      'UPDATE image i SET blob_id = (SELECT blob_id FROM image WHERE id = CASE i.id WHEN $1::uuid THEN $2::uuid ELSE $1::uuid END) WHERE id IN ($1::uuid, $2::uuid)',
      [a, b],
    );
    const opened = await e2ee.openWorkspace(gateway(), id, oldKey);
    await expect(opened.download(a)).rejects.toThrow(e2ee.ForgedImageError);
    await expect(opened.downloadThumbnail(a)).rejects.toThrow(e2ee.ForgedImageError);
    expect(text(await opened.download(images[2] ?? ''))).toBe('c');
    const { moved, failed } = await e2ee.rotateWorkspaceKey(gateway(), id, { oldKey, newKey });
    expect([moved, failed.map(({ imageId }) => imageId).sort()]).toEqual([1, [a, b].sort()]);
    expect(failed[0]?.message).toContain('proof does not hold');
    expect((await stateOf(id)).keyRotation.imagesLeft).toBe(2);
  });
});

test('an image that is no ciphertext stays where it is, and the others are moved', async () => {
  const { id, datasetId, images } = await workspaceOf('a', 'b');
  const { images: checks } = app.services.config;
  Object.assign(checks, { checkEncrypted: false });
  const odd = await app.data(
    app.upload({
      DatasetId: datasetId,
      FileName: 'odd.jpg',
      Image: Buffer.from('odd'),
      Thumbnail: Buffer.from('odd'),
      Width: '1',
      Height: '1',
    }),
  );
  Object.assign(checks, { checkEncrypted: true });
  expect(await e2ee.rotateWorkspaceKey(gateway(), id, { oldKey, newKey })).toEqual({
    moved: 2,
    failed: [{ imageId: odd, name: 'odd.jpg', message: 'the old key does not open it' }],
  });
  expect((await imageOf(images[0] ?? '')).keyNumber).toBe(2);
});

describe('deleted images under the old key', () => {
  test('hold the end up until they are given up, or back and moved', async () => {
    const { id, images } = await workspaceOf('a', 'b');
    const [a = '', b = ''] = images;
    const remove = async (imageId: string): Promise<string> =>
      (await app.post('/api/Images/delete', { imageId })).headers.get('x-undo-token') ?? '';
    const undo = (undoToken: string): Promise<any> => mutate('undoDelete', { undoToken });
    const tokens = [await remove(a), await remove(b)];
    const rotating = e2ee.rotateWorkspaceKey(gateway(), id, { oldKey, newKey });
    await expect(rotating).rejects.toMatchObject({ codes: ['KEY_STILL_USED'] });
    expect((await stateOf(id)).keyRotation).toMatchObject({ imagesLeft: 0, deletedImagesLeft: 2 });
    expect(await undo(tokens[0] ?? '')).toMatchObject({ __typename: 'UndoDeletePayload' });
    // More than are given up at once.
    const { image } = app.services.db.prisma;
    const deleted = await image.findUniqueOrThrow({ where: { id: b } });
    await image.createMany({
      data: Array.from({ length: 250 }, () => ({ ...deleted, id: randomUUID() })),
    });
    const options = { oldKey, newKey, forgetDeleted: true };
    expect(await e2ee.rotateWorkspaceKey(gateway(), id, options)).toMatchObject({ moved: 1 });
    expect(await undo(tokens[1] ?? '')).toMatchObject({ code: 'NOT_FOUND' });
    expect(await image.count({ where: { datasetId: deleted.datasetId } })).toBe(1);
    const opened = await e2ee.openWorkspace(gateway(), id, newKey);
    expect(text(await opened.download(a))).toBe('a');
  });
});

describe('replacing ciphertext is refused', () => {
  test.each([
    ['outside of a move', 'NO_ROTATION'],
    ['under the key that is left', 'WRONG_KEY_NUMBER'],
    ['of other bytes than it names', 'IMAGE_CHANGED'],
    ['by something of another length', 'VALIDATION_ERROR'],
    ['without a proof', 'VALIDATION_ERROR'],
    ['of something that is no SHA-256', 'VALIDATION_ERROR'],
    ['by a thumbnail that was not encrypted anew', 'VALIDATION_ERROR'],
    ['of an image of another dataset', 'IMAGE_NOT_FOUND'],
    ['of an image that is not there', 'IMAGE_NOT_FOUND'],
    ['by plain bytes', 'NOT_ENCRYPTED_PAYLOAD'],
  ])('%s', async (why, code) => {
    const { id, datasetId, images } = await workspaceOf('a');
    const other = await app.dataset(id, 'other');
    if (code !== 'NO_ROTATION') await begin(id);
    const [image = ''] = images;
    const before = await imageOf(image);
    const content = why.startsWith('by something') ? 'a'.repeat(40) : 'b';
    const cipher = async (plain: string): Promise<Buffer> =>
      Buffer.from(await e2ee.encrypt(newKey, Buffer.from(plain)));
    const thumbnail = await app.download(`/api/Images/downloadThumb?imageId=${image}`);
    const replaced = new Map([
      ['of other bytes than it names', '0'.repeat(64)],
      ['of something that is no SHA-256', `${'0'.repeat(63)}\0`],
    ]);
    const answer = await app.upload({
      DatasetId: why.includes('another dataset') ? other : datasetId,
      FileName: 'a.jpg',
      ImageId: why.includes('not there') ? randomUUID() : image,
      KeyNumber: why.startsWith('under') ? '1' : '2',
      ...(why !== 'without a proof' && { Proof: `${'A'.repeat(43)}=` }),
      ReplacesSha256: replaced.get(why) ?? before.sha256,
      Image: why === 'by plain bytes' ? Buffer.alloc(32, 'plain') : await cipher(content),
      Thumbnail: why.includes('thumbnail') ? thumbnail.bytes : await cipher('thumbnail'),
    });
    expect([answer.status, answer.json.errorCodes]).toEqual([400, [code]]);
    expect(await imageOf(image)).toEqual(before);
    expect((await sweepReport()).objects).toBe(0);
  });

  const sweepReport = () => sweepStorage(app.services);
});

test('an upload with the id of another image is refused, and changes nothing', async () => {
  const { datasetId, images } = await workspaceOf('a');
  const [image = ''] = images;
  const before = await imageOf(image);
  const answer = await app.upload({
    DatasetId: datasetId,
    FileName: 'b.jpg',
    ImageId: image,
    Image: Buffer.from(await e2ee.encrypt(oldKey, Buffer.from('b'))),
    Thumbnail: Buffer.from(await e2ee.encrypt(oldKey, Buffer.from('b'))),
    Width: '1',
    Height: '1',
  });
  expect(answer.status).toBe(400);
  expect(await imageOf(image)).toEqual(before);
});

test('the old ciphertext is kept for 30 days, for exports under way, and then removed', async () => {
  const { id } = await workspaceOf('a');
  app.setTime(NOON + 40 * DAY);
  // What other tests left.
  await sweepStorage(app.services);
  const stored = (await app.objects()).length;
  app.tokens.owner = await app.signedIn('owner');
  await e2ee.rotateWorkspaceKey(gateway(), id, { oldKey, newKey });
  expect(await sweepStorage(app.services)).toMatchObject({ objects: 0 });
  expect((await app.objects()).length).toBe(stored + 2);
  app.setTime(NOON + 71 * DAY);
  expect(await sweepStorage(app.services)).toMatchObject({ objects: 2 });
  const opened = await e2ee.openWorkspace(
    gateway((app.tokens.owner = await app.signedIn('owner'))),
    id,
    newKey,
  );
  const { data } = await app.gql(
    'query ($uuid: UUID!) { workspace(uuid: $uuid) { datasets { nodes { images { nodes { uuid } } } } } }',
    { uuid: id },
    app.tokens.owner,
  );
  const [image] = data.workspace.datasets.nodes[0].images.nodes;
  expect(text(await opened.download(image.uuid))).toBe('a');
});

test('an export in the middle of a move names the key of each image, and its proofs hold', async () => {
  const { id, datasetId, images } = await workspaceOf('a', 'b');
  await begin(id);
  const both = await e2ee.openWorkspace(gateway(), id, [oldKey, newKey]);
  const added = await both.upload({
    datasetId,
    fileName: 'c.jpg',
    image: Buffer.from('c'),
    ...small,
  });
  const project = await app.project(id, datasetId);
  const { bytes } = await app.download(`/api/Projects/export?projectId=${project}&dataFilter=All`);
  const archive = await e2ee.openArchive(new Blob([Uint8Array.from(bytes)]), {
    keys: [newKey, oldKey],
  });
  expect(await archive.verify()).toMatchObject({ faults: [], unproven: 0 });
  const found = archive.manifest?.files.flatMap(({ encrypted }) =>
    encrypted ? [[encrypted.image, encrypted.key]] : [],
  );
  const expected = [...images.map((image) => [image, 1]), [added, 2]];
  expect(found?.sort()).toEqual(expected.sort());
  const contents = [];
  for (const file of archive.files)
    if (file.plainPath.endsWith('.jpg')) {
      const pieces = [];
      for await (const piece of file.read()) pieces.push(piece);
      contents.push(Buffer.concat(pieces).toString());
    }
  expect(contents.sort()).toEqual(['a', 'b', 'c']);
});

test('after a change of the key, images stay on their side of a split, and a version is exported anew', async () => {
  const { id, datasetId } = await workspaceOf(...'abcdefghij');
  const project = await app.project(id, datasetId);
  await app.services.db.pool.query(
    `INSERT INTO image_review (project_id, image_id, state, version) SELECT $1, id, 'ANNOTATED', 1 FROM image WHERE dataset_id = $2`,
    [project, datasetId],
  );
  const owner = app.tokens.owner;
  const gql = async (query: string, variables: object): Promise<any> => {
    const { data, errors } = await app.gql(query, variables, owner);
    expect(errors).toBeUndefined();
    return data;
  };
  const ids = await gql(
    'query ($d: UUID!, $p: UUID!) { dataset(uuid: $d) { id } project(uuid: $p) { id } }',
    { d: datasetId, p: project },
  );
  const { createDatasetVersion: made } = await gql(
    'mutation ($i: CreateDatasetVersionInput!) { createDatasetVersion(input: $i) { ... on CreateDatasetVersionPayload { version { id } } } }',
    { i: { datasetId: ids.dataset.id } },
  );
  const version = made.version.id;
  const stateOfVersion = async (): Promise<string> =>
    (
      await gql('query ($id: ID!) { node(id: $id) { ... on DatasetVersion { state } } }', {
        id: version,
      })
    ).node.state;
  await expect.poll(stateOfVersion, { timeout: 30_000 }).toBe('READY');
  const jobOf = async (): Promise<string> =>
    (
      await gql(
        'mutation ($i: ExportProjectInput!) { exportProject(input: $i) { ... on ExportProjectPayload { job { id } } } }',
        { i: { projectId: ids.project.id, filter: 'ALL', version } },
      )
    ).exportProject.job.id;
  const parts = async (): Promise<unknown> => {
    const { bytes } = await app.download(
      `/api/Projects/export?projectId=${project}&dataFilter=All&format=Yolo&split=50/50`,
    );
    const archive = await e2ee.openArchive(new Blob([Uint8Array.from(bytes)]), {
      keys: [oldKey, newKey],
    });
    const lists: Record<string, string[]> = {};
    for (const file of archive.files)
      if (/^(train|val)\.txt$/.test(file.plainPath)) {
        const pieces = [];
        for await (const piece of file.read()) pieces.push(piece);
        lists[file.plainPath] = Buffer.concat(pieces).toString().trim().split('\n').sort();
      }
    expect(Object.values(lists).flat()).toHaveLength(10);
    return lists;
  };
  const [job, before] = [await jobOf(), await parts()];
  expect(await jobOf()).toBe(job);
  await e2ee.rotateWorkspaceKey(gateway(), id, { oldKey, newKey });
  const after = await jobOf();
  expect(after).not.toBe(job);
  expect(await jobOf()).toBe(after);
  expect(await parts()).toEqual(before);
});

async function keyFile(path: string, key: e2ee.WorkspaceKey): Promise<string> {
  await writeFile(path, Buffer.from(await e2ee.exportKey(key)).toString('base64'));
  return path;
}

test('trivium workspace rotate-key does it over HTTP, with keys and token from files or the environment', async () => {
  const { id, images } = await workspaceOf('a', 'b');
  const folder = await mkdtemp(join(tmpdir(), 'trivium-keys-'));
  const file = (name: string, key: e2ee.WorkspaceKey): Promise<string> =>
    keyFile(join(folder, name), key);
  const run = (...more: string[]) =>
    promisify(execFile)(
      process.execPath,
      [cliProgram, 'workspace', 'rotate-key', id, '--gateway', app.url, ...more, '--json'],
      { env: { ...process.env, TRIVIUM_TOKEN: app.tokens.owner } },
    );
  try {
    const [old, next] = [await file('old', oldKey), await file('new', newKey)];
    const keys = ['--old-key-file', old, '--new-key-file', next];
    const wrong = run(
      '--old-key-file',
      next,
      '--new-key-file',
      await file('other', await e2ee.makeKey()),
    );
    await expect(wrong).rejects.toMatchObject({ code: 2 });
    await expect(run(...keys, '--resume')).rejects.toMatchObject({ code: 2 });
    expect(JSON.parse((await run(...keys)).stdout)).toEqual({ workspace: id, moved: 2 });
    expect(JSON.parse((await run(...keys)).stdout)).toEqual({ workspace: id, moved: 0 });
    const opened = await e2ee.openWorkspace(gateway(), id, newKey);
    expect(text(await opened.download(images[0] ?? ''))).toBe('a');
  } finally {
    await rm(folder, { recursive: true });
  }
}, 60_000);

test('trivium workspace rotate-key asks a busy gateway again', async () => {
  const { id } = await workspaceOf('a', 'b');
  const folder = await mkdtemp(join(tmpdir(), 'trivium-keys-'));
  const { hostname, port } = new URL(app.url);
  let refused = 0;
  const busy = createServer((asked, answer) => {
    const { url: path = '', method, headers } = asked;
    if (path.endsWith('/addImage') && refused++ === 0) {
      asked.resume();
      return void answer.writeHead(429, { 'retry-after': '0' }).end();
    }
    const passedOn = request({ hostname, port, path, method, headers }, (given) => {
      answer.writeHead(given.statusCode ?? 500, given.headers);
      given.pipe(answer);
    });
    asked.pipe(passedOn);
  }).listen(0, '127.0.0.1');
  await once(busy, 'listening');
  try {
    const url = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`;
    const old = await keyFile(join(folder, 'old'), oldKey);
    const next = await keyFile(join(folder, 'new'), newKey);
    const keys = ['--old-key-file', old, '--new-key-file', next];
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [cliProgram, 'workspace', 'rotate-key', id, '--gateway', url, ...keys, '--json'],
      { env: { ...process.env, TRIVIUM_TOKEN: app.tokens.owner } },
    );
    expect([JSON.parse(stdout), refused]).toEqual([{ workspace: id, moved: 2 }, 3]);
  } finally {
    busy.closeAllConnections();
    busy.close();
    await rm(folder, { recursive: true });
  }
}, 60_000);

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'trivium workspace rotate-key, told to stop by %s, ends what it is moving and says how to go on',
  async (signal) => {
    const { id } = await workspaceOf(...Array.from({ length: 60 }, (_, n) => String(n)));
    const folder = await mkdtemp(join(tmpdir(), 'trivium-keys-'));
    const left = async (): Promise<number> => (await stateOf(id)).keyRotation?.imagesLeft ?? 60;
    try {
      const args = ['workspace', 'rotate-key', id, '--gateway', app.url];
      const old = await keyFile(join(folder, 'old'), oldKey);
      const next = await keyFile(join(folder, 'new'), newKey);
      const keys = ['--old-key-file', old, '--new-key-file', next];
      const child = spawn(process.execPath, [cliProgram, ...args, ...keys], {
        env: { ...process.env, TRIVIUM_TOKEN: app.tokens.owner },
      });
      let said = '';
      child.stderr.on('data', (piece) => (said += String(piece)));
      const ended = once(child, 'close');
      await expect.poll(left, { timeout: 60_000, interval: 5 }).toBeLessThan(60);
      child.kill(signal);
      expect(await ended).toEqual([1, null]);
      expect(said).toContain('error: interrupted: run it again to go on\n');
      expect(await left()).toBeGreaterThan(0);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  120_000,
);

test('a repeated upload of before does not put the old ciphertext back, even where the new one is lost', async () => {
  const { id, datasetId } = await workspaceOf();
  const cipher = async (): Promise<Uint8Array<ArrayBuffer>> =>
    e2ee.encrypt(oldKey, Buffer.from('x'));
  const [image, thumbnail] = [await cipher(), await cipher()];
  const upload = async (): Promise<{ data: string }> => {
    const form = new FormData();
    const fields = { DatasetId: datasetId, FileName: 'x.jpg', Width: '1', Height: '1' };
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set('Image', new Blob([image]));
    form.set('Thumbnail', new Blob([thumbnail]));
    const headers = { authorization: `Bearer ${app.tokens.owner}`, 'idempotency-key': `of ${id}` };
    const init = { method: 'POST', body: form, headers };
    const { data }: any = await (await fetch(`${app.url}/api/Images/addImage`, init)).json();
    return { data };
  };
  const { data: uploaded } = await upload();
  await e2ee.rotateWorkspaceKey(gateway(), id, { oldKey, newKey });
  const before = await imageOf(uploaded);
  for (const key of await app.objects())
    if (key.includes(before.sha256)) await app.services.storage.delete(key);
  expect(await upload()).toEqual({ data: uploaded });
  expect(await imageOf(uploaded)).toEqual(before);
});

test('begin wants the current key and another one; a plain workspace has none', async () => {
  const { id } = await workspaceOf();
  const workspaceId = (await stateOf(id)).id;
  const [a, b] = [await e2ee.checksum(oldKey, id), await e2ee.checksum(newKey, id)];
  const asked = (checksum: string, newChecksum: string): Promise<any> =>
    mutate('beginKeyRotation', { workspaceId, checksum, newChecksum });
  expect(await asked(b, a)).toMatchObject({ code: 'WRONG_KEY' });
  expect(await asked(a, a)).toMatchObject({ code: 'ALREADY_ENCRYPTED' });
  expect(await asked(a, b)).toMatchObject({ __typename: 'BeginKeyRotationPayload' });
  expect(await asked(a, await e2ee.checksum(await e2ee.makeKey(), id))).toMatchObject({
    code: 'ROTATION_UNDER_WAY',
  });
  const plain = await app.workspace();
  const state = await stateOf(plain);
  expect(state).toMatchObject({ keyNumber: null, keyRotation: null });
  expect(
    await mutate('beginKeyRotation', { workspaceId: state.id, checksum: a, newChecksum: b }),
  ).toMatchObject({ code: 'NOT_ENCRYPTED' });
  expect(await mutate('finishKeyRotation', { workspaceId: state.id })).toMatchObject({
    __typename: 'FinishKeyRotationPayload',
  });
});
