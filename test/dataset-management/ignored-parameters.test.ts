import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDatasetApp, type DatasetApp } from '../support/datasets.ts';

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
  expect(await app.data(list(''))).toHaveLength(before);
});

it('strict handling is confirmed where nothing is ignored', async () => {
  const answer = await list('', strict);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('preference-applied')).toBe('handling=strict');
});

it('names of identity are ignored even in strict handling', async () => {
  const answer = await list('&user_id=1', strict);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-ignored-parameters')).toBe('user_id');
});
