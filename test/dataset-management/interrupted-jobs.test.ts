import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { takeUpImports } from '../../src/dataset-management/annotation-import/jobs/take-up-imports.ts';
import { takeUpExports } from '../../src/dataset-management/export/jobs/take-up-exports.ts';
import { takeUpVersions } from '../../src/dataset-management/versions/freeze/run-next-version.ts';
import { NOON } from '../support/app.ts';
import { startDatasetApp, type DatasetApp } from '../support/datasets.ts';
import { jpeg } from '../support/images.ts';

let app: DatasetApp;
let dataset: string;
let project: string;
beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  const workspace = await app.workspace();
  dataset = await app.dataset(workspace);
  project = await app.project(workspace, dataset);
  await app.image(dataset, await jpeg(), 'a.jpg');
});
afterAll(() => app.close());

const gql = async (text: string, variables: object): Promise<any> =>
  (await app.gql(text, variables, app.tokens.owner)).data;
/** Reads the state of a job. */
const look = async (type: string, id: string): Promise<string> =>
  (await gql(`query ($id: ID!) { node(id: $id) { ... on ${type} { state } } }`, { id })).node.state;

const startExport = async (): Promise<string> => {
  const { id: projectId } = (
    await gql('query ($uuid: UUID!) { project(uuid: $uuid) { id } }', { uuid: project })
  ).project;
  const { exportProject } = await gql(
    'mutation ($input: ExportProjectInput!) { exportProject(input: $input) { ... on ExportProjectPayload { job { id } } } }',
    { input: { projectId, filter: 'ALL' } },
  );
  return exportProject.job.id;
};
const startImport = async (): Promise<string> => {
  const form = new FormData();
  const file = JSON.stringify({
    images: [{ id: 1, file_name: 'a.jpg' }],
    categories: [{ id: 1, name: 'bolt' }],
    annotations: [{ id: 1, image_id: 1, category_id: 1, bbox: [1, 2, 3, 4] }],
  });
  form.set('projectId', project);
  form.set('File', new Blob([file]), 'coco.json');
  const uuid = await app.data(
    app.rest('/api/Projects/importAnnotations', app.tokens.owner, { method: 'POST', body: form }),
  );
  return Buffer.from(`AnnotationImport:${uuid}`).toString('base64');
};
/** As `createDatasetVersion` leaves it, which begins at once. */
const startVersion = async (): Promise<string> => {
  const { prisma } = app.services.db;
  const id = randomUUID();
  await prisma.datasetVersion.create({
    data: {
      id,
      datasetId: dataset,
      number: 1 + (await prisma.datasetVersion.count()),
      name: '',
      notes: '',
      createdAt: new Date(NOON),
    },
  });
  await takeUpVersions(app.services);
  return Buffer.from(`DatasetVersion:${id}`).toString('base64');
};

/** Waits until every job that was begun is over. */
const idle = () =>
  new Promise<void>((resolve) => app.services.background(() => Promise.resolve(resolve())));
let go = (): void => undefined;
/** Keeps jobs from beginning until `go`. */
beforeEach(() => app.services.background(() => new Promise<void>((resolve) => (go = resolve))));

const ended = (): Error =>
  Object.assign(new Error('terminating connection due to administrator command'), {
    code: '57P01',
  });
/** As if its gateway had not renewed it for a minute. */
const lapse = (table: string) =>
  app.services.db.rows(
    `UPDATE ${table} SET alive_at = clock_timestamp() - interval '1 minute' RETURNING id`,
    [],
  );

const jobs = [
  ['an export', 'ExportJob', 'export_job', startExport, takeUpExports],
  ['an import of annotations', 'AnnotationImport', 'annotation_import', startImport, takeUpImports],
  ['a version', 'DatasetVersion', 'dataset_version', startVersion, takeUpVersions],
] as const;

test.each(jobs)(
  '%s whose connection is lost begins again; at the third time it has failed',
  async (name, type, table, start, takeUp) => {
    const busy = name === 'a version' ? 'FREEZING' : 'RUNNING';
    const done = name === 'a version' ? 'READY' : 'SUCCEEDED';
    /** One attempt of a job, whose connection is lost. */
    const lose = async (work: () => void | Promise<void>): Promise<void> => {
      const { services } = app;
      const fault =
        name === 'a version'
          ? vi.spyOn(services.db, 'transaction')
          : vi.spyOn(services.storage, 'stage');
      // The last transaction of a version is tried ten times.
      for (let tries = 0; tries < (name === 'a version' ? 10 : 1); tries++)
        fault.mockRejectedValueOnce(ended());
      await work();
      await idle();
      fault.mockRestore();
    };
    const id = await start();
    await lose(() => go());
    expect(await look(type, id)).toBe(busy);
    await lapse(table);
    await takeUp(app.services);
    await idle();
    expect(await look(type, id)).toBe(done);

    await app.image(dataset, await jpeg(50, 40 + jobs.findIndex(([of]) => of === name)), name);
    app.services.background(() => new Promise<void>((resolve) => (go = resolve)));
    const hopeless = await start();
    await lose(() => go());
    for (let attempt = 2; attempt <= 3; attempt++) {
      expect(await look(type, hopeless)).toBe(busy);
      await lapse(table);
      await lose(() => takeUp(app.services));
    }
    expect(await look(type, hopeless)).toBe('FAILED');
  },
);

test('where too many files are open, an upload is told to try again, and a job begins again', async () => {
  const tooMany = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  const fault = vi.spyOn(app.services.storage, 'stage').mockRejectedValue(tooMany);
  const upload = { DatasetId: dataset, FileName: 'd.jpg', Image: await jpeg(60, 41) };
  const refused = await app.upload(upload);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([500, '2']);
  const id = await startExport();
  go();
  await idle();
  fault.mockRestore();
  expect(await look('ExportJob', id)).toBe('RUNNING');
  await lapse('export_job');
  await takeUpExports(app.services);
  await idle();
  expect(await look('ExportJob', id)).toBe('SUCCEEDED');
  expect((await app.upload(upload)).status).toBe(200);
});

test('an import whose file the storage has shortened fails, and the log says which file', async () => {
  const id = await startImport();
  const [[key = ''] = []] = await app.services.db.rows(
    `SELECT storage_key FROM annotation_import WHERE state = 'QUEUED'`,
    [],
  );
  const { storage, log } = app.services;
  await storage.delete(key ?? '');
  await storage.put(await storage.stage(Readable.from([Buffer.from('{"images":[')])), key ?? '');
  const logged = vi.spyOn(log, 'error');
  go();
  await idle();
  expect(await look('AnnotationImport', id)).toBe('FAILED');
  expect(logged.mock.calls).toMatchObject([
    [
      { err: { message: `the storage has other bytes than were sent under ${key} (11 now)` } },
      'import of annotations failed',
    ],
  ]);
  logged.mockRestore();
});
