import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { failure, startDatasetApp, type DatasetApp } from '../support/datasets.ts';
import { jpeg } from '../support/images.ts';

let app: DatasetApp;
let workspaceId: string;
beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  workspaceId = await app.workspace('Main');
});
afterAll(() => app.close());

const strict = { prefer: 'handling=strict' };
const list = (query: string, headers = {}) =>
  app.get(`/api/Datasets?workspaceId=${workspaceId}${query}`, undefined, headers);
const create = (body: object, headers = {}) =>
  app.rest('/api/Datasets/create', app.tokens.owner, {
    method: 'POST',
    body: JSON.stringify({ workspaceId, description: '', ...body }),
    headers: { 'content-type': 'application/json', ...headers },
  });

it('a name in the query that is no parameter is ignored and told', async () => {
  const answer = await list('&colour=red&page=2');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-ignored-parameters')).toBe('colour, page');
});

it('a name in the body that is no parameter is ignored and told', async () => {
  const answer = await create({ name: 'Shelves', colour: 'red' });
  expect(answer.json).toMatchObject({ isSuccess: true });
  expect(answer.headers.get('x-ignored-parameters')).toBe('colour');
});

it('names are read in any case, and nothing is told of them', async () => {
  const answer = await app.get(`/api/Datasets?WORKSPACEID=${workspaceId}`);
  expect(answer.json).toMatchObject({ isSuccess: true });
  expect(answer.headers.get('x-ignored-parameters')).toBeNull();
});

it('strict handling refuses every unknown name at once, and nothing is stored', async () => {
  const before = (await app.data(list(''))).length;
  const answer = await create({ name: 'Strict', colour: 'red', size: 1 }, strict);
  expect(answer.status).toBe(400);
  expect(answer.json).toMatchObject({ data: null, errorCodes: ['VALIDATION_ERROR'] });
  expect(answer.json.errorMessage).toContain('colour');
  expect(answer.json.errorMessage).toContain('size');
  expect(answer.headers.get('preference-applied')).toBe('handling=strict');
  expect(await app.data(list(''))).toHaveLength(before);
});

it('a list as body has no names', async () => {
  const answer = await app.rest('/api/Datasets/create', app.tokens.owner, {
    method: 'POST',
    body: JSON.stringify(['name', 'description']),
    headers: { 'content-type': 'application/json', ...strict },
  });
  expect(answer.status).toBe(400);
  expect(answer.json.errorCodes).toContain('WORKSPACE_ID_REQUIRED');
  expect(answer.json.errorMessage).not.toContain('is not a parameter');
});

it('strict handling is confirmed where nothing is ignored', async () => {
  const answer = await list('', strict);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('preference-applied')).toBe('handling=strict');
});

it('a parameter of the body that stands in the query is ignored and told', async () => {
  const answer = await app.rest('/api/Datasets/create?name=Other', app.tokens.owner, {
    method: 'POST',
    body: JSON.stringify({ workspaceId, name: 'From the body', description: '' }),
    headers: { 'content-type': 'application/json' },
  });
  expect(answer.json).toMatchObject({ isSuccess: true });
  expect(answer.headers.get('x-ignored-parameters')).toBe('name');
});

it('a part of an upload that is no parameter is told; strict handling refuses it and leaves no file', async () => {
  const dataset = await app.dataset(workspaceId, 'Uploads');
  const image = await jpeg();
  const upload = (headers = {}) => {
    const form = new FormData();
    form.set('DatasetId', dataset);
    form.set('FileName', 'a.png');
    form.set('Image', new Blob([Uint8Array.from(image)]));
    form.set('colour', 'red');
    return app.rest('/api/Images/addImage', app.tokens.owner, {
      method: 'POST',
      body: form,
      headers,
    });
  };
  const refused = await upload(strict);
  expect(refused).toMatchObject(failure(400, 'VALIDATION_ERROR'));
  expect(refused.json['errorMessage']).toBe('colour is not a parameter of this operation');
  expect(await app.objects()).toEqual([]);
  expect(await readdir(join(app.folder, 'blobs', 'staging'))).toEqual([]);
  const taken = await upload();
  expect(taken.json).toMatchObject({ isSuccess: true });
  expect(taken.headers.get('x-ignored-parameters')).toBe('colour');
});

it('P8 of a parameter that comes twice in the query, the first value counts, and it is told', async () => {
  const path = `/api/Datasets?workspaceId=${workspaceId}&WorkspaceId=none&user_id=1&user_id=2`;
  const answer = await app.get(path);
  expect(answer.json).toMatchObject({ isSuccess: true });
  expect(answer.headers.get('x-ignored-parameters')).toBe('user_id, workspaceId');
  const refused = await app.get(path, undefined, strict);
  expect(refused).toMatchObject(failure(400, 'VALIDATION_ERROR'));
  expect(refused.json['errorMessage']).toBe(
    'workspaceId is sent more than once: the first value counts',
  );
});

it('P6 a write with a member that comes twice is refused: nothing is guessed', async () => {
  const dataset = await app.dataset(workspaceId, 'Once');
  const before = await app.data(list(''));
  const post = (path: string, body: BodyInit, type?: string) =>
    app.rest(path, app.tokens.owner, {
      method: 'POST',
      body,
      ...(type !== undefined && { headers: { 'content-type': type } }),
    });
  const parts = new FormData();
  parts.append('DatasetId', dataset);
  parts.append('FileName', 'a.jpg');
  parts.append('filename', 'b.jpg');
  parts.append('Image', new Blob([Uint8Array.from(await jpeg())]));
  const form = 'application/x-www-form-urlencoded';
  for (const [name, answer] of [
    ['datasetId', await post('/api/Datasets/delete', `datasetId=${dataset}&datasetId=x`, form)],
    ['name', await create({ name: 'One', Name: 'Two' })],
    ['FileName', await post('/api/Images/addImage', parts)],
  ] as const) {
    expect(answer).toMatchObject(failure(400, 'VALIDATION_ERROR'));
    expect(answer.json['errorMessage']).toBe(`${name} is sent more than once`);
  }
  expect(await app.data(list(''))).toEqual(before);
});

it('names of identity are ignored even in strict handling', async () => {
  const answer = await list('&user_id=1', strict);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-ignored-parameters')).toBe('user_id');
});
