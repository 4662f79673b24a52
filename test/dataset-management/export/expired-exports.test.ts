import { afterAll, beforeAll, expect, test } from 'vitest';
import { BlobMissingError } from '../../../src/core/context/storage.ts';
import { startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { jpeg } from '../../support/images.ts';

let app: DatasetApp;
let projectId: string;
beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  const workspace = await app.workspace();
  const dataset = await app.dataset(workspace);
  const uuid = await app.project(workspace, dataset);
  await app.image(dataset, await jpeg());
  const found = await app.gql(
    'query ($uuid: UUID!) { project(uuid: $uuid) { id } }',
    { uuid },
    app.tokens.owner,
  );
  projectId = found.data.project.id;
});
afterAll(() => app.close());

/** Starts an export, waits until none is under way, and returns the id in its path. */
async function start(filter: string): Promise<string> {
  const { data } = await app.gql(
    'mutation ($input: ExportProjectInput!) { exportProject(input: $input) { ... on ExportProjectPayload { job { id } } } }',
    { input: { projectId, filter } },
    app.tokens.owner,
  );
  await new Promise<void>((resolve) => app.services.background(async () => resolve()));
  return Buffer.from(data.exportProject.job.id, 'base64').toString().replace('ExportJob:', '');
}
/** What a sweep does to an export that has expired by its clock. */
const sweep = (id: string) =>
  app.services.db.rows('DELETE FROM export_job WHERE id = $1 RETURNING id', [id]);

/** Calls `then` when the storage is asked for the same archive, before it answers. */
async function whileAsked<T>(then: () => Promise<unknown>, run: () => Promise<T>): Promise<T> {
  const { storage } = app.services;
  const stat = storage.stat.bind(storage);
  try {
    storage.stat = async (key) => {
      storage.stat = stat;
      await then();
      return stat(key);
    };
    return await run();
  } finally {
    storage.stat = stat;
  }
}

test('while the storage is asked for an archive that may serve again, other exports of the user begin', async () => {
  const first = await start('ALL');
  let other = '';
  const again = await whileAsked(
    async () => (other = await start('CONFIG_ONLY')),
    () => start('ALL'),
  );
  expect(again).toBe(first);
  expect((await app.get(`/exports/${other}`)).status).toBe(200);
});

test('an export that is removed, for it has expired, as it is asked for again is made again', async () => {
  const first = await start('ALL');
  const again = await whileAsked(
    () => sweep(first),
    () => start('ALL'),
  );
  expect(again).not.toBe(first);
  expect((await app.get(`/exports/${again}`)).status).toBe(200);
});

test('an archive that is removed as its download begins is not found, like one that has expired', async () => {
  const id = await start('ALL');
  const { storage } = app.services;
  const get = storage.get.bind(storage);
  try {
    storage.get = async function* (key) {
      await sweep(id);
      throw new BlobMissingError(key);
    };
    const removed = await app.get(`/exports/${id}`);
    storage.get = get;
    const expired = await app.get(`/exports/${id}`);
    expect([removed.status, removed.text]).toEqual([expired.status, expired.text]);
    expect(removed.status).toBe(400);
  } finally {
    storage.get = get;
  }
});
