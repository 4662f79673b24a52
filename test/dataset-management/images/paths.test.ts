import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failure, startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { jpeg } from '../../support/images.ts';
import type { RestAnswer } from '../../support/app.ts';

let app: DatasetApp;
let workspace: string;
let dataset: string;
let one: Buffer;
let two: Buffer;
beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  workspace = await app.workspace();
  dataset = await app.dataset(workspace);
  [one, two] = [await jpeg(40, 30), await jpeg(30, 40)];
});
afterAll(() => app.close());

const send = (Path: string, Image: Buffer, DatasetId = dataset): Promise<RestAnswer> =>
  app.upload({ DatasetId, FileName: 'a.jpg', Image, Path });
const byPath = async (path: string, token = app.tokens.owner): Promise<any> =>
  (
    await app.gql(
      'query ($d: UUID!, $p: String!) { dataset(uuid: $d) { imageByPath(path: $p) { uuid path name } } }',
      { d: dataset, p: path },
      token,
    )
  ).data.dataset?.imageByPath;

test('an image keeps the path of its upload, in NFC; without one it has none', async () => {
  const id = await app.data(send('a/b\u0308/c.jpg', one));
  expect(await byPath('a/\u0062\u0308/c.jpg')).toEqual({
    uuid: id,
    path: 'a/b\u0308/c.jpg'.normalize('NFC'),
    name: 'a.jpg',
  });
  const alone = await app.image(dataset, one);
  const { data } = await app.gql(
    'query ($u: UUID!) { image(uuid: $u) { path } }',
    { u: alone },
    app.tokens.owner,
  );
  expect(data.image.path).toBeNull();
  expect([await byPath('a'), await byPath('\0'), await byPath('a.jpg')]).toEqual([
    null,
    null,
    null,
  ]);
  expect(await byPath('a/b\u0308/c.jpg', app.tokens.stranger)).toBeUndefined();
});

test('the same path with the same bytes is the image that is there; with others it is refused', async () => {
  const id = await app.data(send('same.jpg', one));
  const again = await send('same.jpg', one);
  expect(again.json.data).toBe(id);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(await send('same.jpg', two)).toMatchObject(failure(400, 'PATH_TAKEN'));
  const elsewhere = await app.dataset(workspace, 'elsewhere');
  expect(await app.data(send('same.jpg', two, elsewhere))).not.toBe(id);
});

test('an image that is there already is the answer to the key of the upload, for whom no other image can be', async () => {
  const keyed = async (path: string, bytes: Buffer): Promise<Response> => {
    const body = new FormData();
    const image = new Blob([Uint8Array.from(bytes)]);
    for (const [name, value] of Object.entries({
      DatasetId: dataset,
      FileName: 'a.jpg',
      Path: path,
    }))
      body.set(name, value);
    body.set('Image', image);
    const headers = { 'x-service-csrf-token-x': app.tokens.owner, 'idempotency-key': 'once' };
    return fetch(`${app.url}/api/Images/addImage`, { method: 'POST', headers, body });
  };
  const id = await app.data(send('keyed.jpg', one));
  const [other] = [await keyed('keyed.jpg', one), await keyed('another.jpg', two)].slice(1);
  expect(other?.status).toBe(400);
  const again = await keyed('keyed.jpg', one);
  expect([again.status, await again.json()]).toMatchObject([200, { data: id }]);
});

test('of uploads at once under one path one image comes of it, whoever is first', async () => {
  const answers = await Promise.all([one, one, one, two].map((bytes) => send('race.jpg', bytes)));
  const stored = new Set(answers.flatMap(({ json }) => json.data ?? []));
  expect(stored.size).toBe(1);
  for (const answer of answers)
    if (answer.status !== 200) expect(answer).toMatchObject(failure(400, 'PATH_TAKEN'));
  const where = { datasetId: dataset, path: 'race.jpg', deletedAt: null };
  expect(await app.services.db.prisma.image.count({ where })).toBe(1);
});

test('a deleted image leaves its path to others, and can not come back to it', async () => {
  const id = await app.data(send('gone.jpg', one));
  const deleted = await app.post('/api/Images/delete', { imageId: id });
  const undoToken = deleted.headers.get('x-undo-token');
  const other = await app.data(send('gone.jpg', two));
  expect(other).not.toBe(id);
  const undo = () =>
    app.gql(
      'mutation ($t: String!) { undoDelete(input: { undoToken: $t }) { __typename ... on ValidationError { problems { code path } } } }',
      { t: undoToken },
      app.tokens.owner,
    );
  expect((await undo()).data.undoDelete).toEqual({
    __typename: 'ValidationError',
    problems: [{ code: 'TAKEN', path: ['input', 'path'] }],
  });
  await app.data(app.post('/api/Images/delete', { imageId: other }));
  expect((await undo()).data.undoDelete.__typename).toBe('UndoDeletePayload');
  expect((await byPath('gone.jpg')).uuid).toBe(id);
});

describe('a path that could mean another file is refused', () => {
  test.each([
    ['/etc/passwd', 'absolute'],
    ['C:/a.jpg', 'a drive'],
    ['../a.jpg', 'a way up'],
    ['a/../b.jpg', 'a way up inside'],
    ['a/./b.jpg', 'a dot'],
    ['a//b.jpg', 'an empty name'],
    ['a/', 'an empty name at the end'],
    ['', 'nothing'],
    ['a\\b.jpg', 'a backslash'],
    ['a\nb.jpg', 'a line break'],
    ['a\u202egpj.exe', 'another direction'],
    [`${'x'.repeat(256)}.jpg`, 'a long name'],
    [`${'ä'.repeat(100)}/`.repeat(6).slice(0, -1), 'more than 1024 bytes'],
  ])('%j: %s', async (path) => {
    expect(await send(path, one)).toMatchObject(failure(400, 'INVALID_PATH'));
  });
});

test('exports name the path', async () => {
  const from = await app.dataset(workspace, 'exported');
  await app.data(send('deep/er/a.jpg', one, from));
  const project = await app.project(workspace, from);
  const { bytes } = await app.download(
    `/api/Projects/export?projectId=${project}&dataFilter=All&format=Coco`,
  );
  expect(bytes.toString('latin1')).toContain('"path":"deep/er/a.jpg"');
});
