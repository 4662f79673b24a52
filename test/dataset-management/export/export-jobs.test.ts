import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  claimExportJob,
  finishExportJob,
  renewExportJob,
} from '../../../src/dataset-management/export/jobs/claim-export-job.ts';
import {
  releaseExports,
  takeUpExports,
} from '../../../src/dataset-management/export/jobs/take-up-exports.ts';
import { startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { jpeg } from '../../support/images.ts';

let app: DatasetApp;
let workspace: string;
let project: string;
let projectId: string;
beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  workspace = await app.workspace();
  const dataset = await app.dataset(workspace);
  project = await app.project(workspace, dataset);
  await app.member(workspace, 'other', 'MANAGER');
  await app.image(dataset, await jpeg());
  const found = await app.gql(
    'query ($uuid: UUID!) { project(uuid: $uuid) { id } }',
    { uuid: project },
    app.tokens.owner,
  );
  projectId = found.data.project.id;
});
afterAll(() => app.close());

type Job = { id: string; state: string; downloadUrl: string | null };
const JOB = 'job { id state downloadUrl }';
const ask = async (more: object = {}, token = app.tokens.owner) =>
  app.gql(
    `mutation ($input: ExportProjectInput!) { exportProject(input: $input) { ... on ExportProjectPayload { ${JOB} } ... on UserError { message } } }`,
    { input: { projectId, filter: 'ALL', ...more } },
    token,
  );
const start = async (more: object = {}): Promise<Job> => (await ask(more)).data.exportProject.job;
const cancel = async (jobId: string, token = app.tokens.owner): Promise<any> =>
  (
    await app.gql(
      `mutation ($jobId: ID!) { cancelExport(input: { jobId: $jobId }) { ... on CancelExportPayload { ${JOB} } ... on NotFoundError { entity } } }`,
      { jobId },
      token,
    )
  ).data.cancelExport;
const look = async (id: string): Promise<Job | null> =>
  (
    await app.gql(
      'query ($id: ID!) { node(id: $id) { ... on ExportJob { id state downloadUrl } } }',
      { id },
      app.tokens.owner,
    )
  ).data.node;
const keyOf = (id: string): string =>
  Buffer.from(id, 'base64').toString().replace('ExportJob:', '');
/** Waits until every job that was begun is over. */
const idle = () =>
  new Promise<void>((resolve) => app.services.background(() => Promise.resolve(resolve())));
/** Keeps jobs from beginning until it is called. */
const hold = (): (() => void) => {
  let go = (): void => undefined;
  app.services.background(() => new Promise<void>((resolve) => (go = resolve)));
  return () => go();
};
/** Changes what an export holds. */
const change = (color: string) =>
  app.gql(
    'mutation ($input: AddAnnotationClassesInput!) { addAnnotationClasses(input: $input) { __typename } }',
    { input: { projectId, classes: [{ name: 'bolt', color }] } },
    app.tokens.owner,
  );
const archives = async (): Promise<string[]> =>
  (await app.objects()).filter((key) => key.startsWith('exports/'));
const set = (id: string, values: string) =>
  app.services.db.rows(`UPDATE export_job SET ${values} WHERE id = $1 RETURNING id`, [keyOf(id)]);

test('F222 the same export of unchanged content is one job and one archive, however often it is asked for', async () => {
  const before = (await archives()).length;
  const many = Array.from(
    { length: 30 },
    (_, n) => `a${n}: exportProject(input: $input) { ... on ExportProjectPayload { ${JOB} } }`,
  );
  const ids = new Set<string>();
  for (let n = 0; n < 2; n++) {
    const { data } = await app.gql(
      `mutation ($input: ExportProjectInput!) { ${many.join('\n')} }`,
      { input: { projectId, filter: 'ALL' } },
      app.tokens.owner,
    );
    for (const { job } of Object.values<{ job: Job }>(data)) ids.add(job.id);
    await idle();
  }
  const [id = ''] = ids;
  expect([ids.size, (await look(id))?.state, (await archives()).length]).toEqual([
    1,
    'SUCCEEDED',
    before + 1,
  ]);
  expect((await start({ format: 'YOLO' })).id).not.toBe(id);
  await change('#010101');
  const changed = await start();
  expect(changed.id).not.toBe(id);
  await idle();
  await app.services.storage.delete(`exports/${keyOf(changed.id)}`);
  const anew = await start();
  expect(anew.id).not.toBe(changed.id);
  await idle();
});

test('F222 a user has at most five exports under way, and is told when to come again', async () => {
  const go = hold();
  await change('#020202');
  const wanted = [
    ...['NATIVE', 'COCO', 'YOLO', 'PASCAL_VOC'].map((format) => ({ format })),
    { filter: 'ANNOTATED' },
  ];
  const jobs = await Promise.all(wanted.map(start));
  expect(new Set(jobs.map(({ id }) => id)).size).toBe(5);
  const refused = await ask({ filter: 'ACCEPTED' });
  expect(refused.errors?.[0]).toMatchObject({
    message: expect.stringContaining('cancelExport, then try again in 10 s'),
    extensions: { code: 'RATE_LIMITED' },
  });
  expect((await start()).id).toBe(jobs[0]?.id);
  expect((await cancel(jobs[0]?.id ?? '')).job.state).toBe('CANCELLED');
  const next = await start({ filter: 'ACCEPTED' });
  go();
  await idle();
  expect((await look(next.id))?.state).toBe('SUCCEEDED');
  expect((await look(jobs[0]?.id ?? ''))?.state).toBe('CANCELLED');
});

test('F222 a user is sent at most ten archives at once, and others still get theirs', async () => {
  const { storage } = app.services;
  const readInto = storage.readInto.bind(storage);
  let [reading, go, allRead] = [0, (): void => undefined, (): void => undefined];
  const released = new Promise<void>((resolve) => (go = resolve));
  const tenRead = new Promise<void>((resolve) => (allRead = resolve));
  const download = (token = app.tokens.owner, signal?: AbortSignal): Promise<Response> =>
    fetch(`${app.url}/api/Projects/export?projectId=${project}&dataFilter=All`, {
      headers: { 'x-service-csrf-token-x': token },
      ...(signal && { signal }),
    });
  try {
    storage.readInto = async (key, target, position) => {
      if (++reading === 10) allRead();
      await released;
      return readInto(key, target, position);
    };
    const gone = new AbortController();
    const first = [...Array(9).keys()].map(() => download());
    const aborted = download(app.tokens.owner, gone.signal);
    await tenRead;
    const refused = await download();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
    expect(await refused.json()).toMatchObject({
      errorMessage: 'You are downloading 10 exports: wait for one, then try again in 10 s',
    });
    const others = [download(app.tokens.other)];
    gone.abort();
    await aborted.then((response) => response.arrayBuffer()).catch(() => undefined);
    go();
    for (const one of [...first, ...others]) {
      const response = await one;
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
  } finally {
    go();
    storage.readInto = readInto;
  }
  for (let n = 0; n < 12; n++) {
    const response = await download();
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  }
});

test('F222 cancelExport stops a job that runs, leaves nothing of it, and changes nothing that is over', async () => {
  const { storage } = app.services;
  const readInto = storage.readInto.bind(storage);
  let reads = (): void => undefined;
  let go = (): void => undefined;
  const reading = new Promise<void>((resolve) => (reads = resolve));
  const released = new Promise<void>((resolve) => (go = resolve));
  const before = await archives();
  try {
    storage.readInto = async (key, target, position) => {
      reads();
      await released;
      return readInto(key, target, position);
    };
    await change('#030303');
    const { id } = await start();
    await reading;
    expect(await cancel(id, app.tokens.other)).toEqual({ entity: 'ExportJob' });
    for (let n = 0; n < 2; n++)
      expect(await cancel(id)).toMatchObject({ job: { state: 'CANCELLED', downloadUrl: null } });
    go();
    await idle();
    expect(await look(id)).toMatchObject({ state: 'CANCELLED', downloadUrl: null });
    expect(await archives()).toEqual(before);
    expect(await readdir(join(app.folder, 'blobs', 'staging'))).toEqual([]);
    expect((await start()).id).not.toBe(id);
  } finally {
    storage.readInto = readInto;
    go();
  }
  await idle();
  const { id } = await start();
  expect(await cancel(id)).toMatchObject({ job: { id, state: 'SUCCEEDED' } });
  expect((await look(id))?.downloadUrl).not.toBeNull();
});

test('F222 a job whose gateway died is run again by whoever finds it; one that is still renewed is left alone', async () => {
  const go = hold();
  await change('#040404');
  const [dead, alive, hopeless] = [
    await start(),
    await start({ format: 'COCO' }),
    await start({ format: 'YOLO' }),
  ];
  const begun = `state = 'RUNNING', runner = '${randomUUID()}'`;
  const old = `alive_at = clock_timestamp() - interval '16 seconds'`;
  await set(dead.id, `${begun}, attempts = 1, ${old}`);
  await set(alive.id, `${begun}, attempts = 1, alive_at = clock_timestamp() + interval '1 hour'`);
  await set(hopeless.id, `${begun}, attempts = 3, ${old}`);
  go();
  await idle();
  for (let n = 0; n < 3; n++) {
    await takeUpExports(app.services);
    await idle();
  }
  const states = async (): Promise<unknown[]> =>
    Promise.all([dead, alive, hopeless].map(async ({ id }) => (await look(id))?.state));
  expect(await states()).toEqual(['SUCCEEDED', 'RUNNING', 'FAILED']);
  expect((await app.download(`/exports/${keyOf(dead.id)}`)).status).toBe(200);
  expect(await archives()).toContain(`exports/${keyOf(dead.id)}-2`);
  // The embedded database has one gateway: at its start, nobody else can be running anything.
  await releaseExports(app.services);
  await idle();
  expect((await states())[1]).toBe(app.services.db.embedded ? 'SUCCEEDED' : 'RUNNING');
  await cancel(alive.id);
});

test('F222 a job of a locked domain waits until the domain is open', async () => {
  const go = hold();
  await change('#050505');
  const { id } = await start();
  const lock = (state: string) =>
    app.services.db.rows('UPDATE domain SET state = $1 RETURNING id', [state]);
  await lock('LOCKED');
  go();
  await idle();
  await takeUpExports(app.services);
  await idle();
  expect((await look(id))?.state).toBe('QUEUED');
  await lock('OPEN');
  const job = await claimExportJob(app.services);
  if (!job) throw new Error('nothing to claim');
  await lock('LOCKED');
  const end = { finishedAt: new Date(), expiresAt: new Date() };
  expect(await renewExportJob(app.services, job, 0.5)).toBe(false);
  expect(await finishExportJob(app.services, job, end)).toBe(false);
  expect((await look(id))?.state).toBe('RUNNING');
  await lock('OPEN');
  await set(id, `alive_at = NULL`);
  await takeUpExports(app.services);
  await idle();
  expect((await look(id))?.state).toBe('SUCCEEDED');
});

test('F222 who may not export the project any more does not get its archives', async () => {
  const { data } = await ask({}, app.tokens.other);
  await idle();
  const path = `/exports/${keyOf(data.exportProject.job.id)}`;
  const status = async (): Promise<number> => (await app.get(path, app.tokens.other)).status;
  expect(await status()).toBe(200);
  const role = (text: string) =>
    app.services.db.rows(
      'UPDATE workspace_member SET role = $2 WHERE workspace_id = $1 AND role <> $3 RETURNING role',
      [workspace, text, 'OWNER'],
    );
  await role('ANNOTATOR');
  expect(await status()).toBe(400);
  await role('MANAGER');
  expect(await status()).toBe(200);
  await app.services.db.rows(
    `DELETE FROM workspace_member WHERE workspace_id = $1 AND role <> 'OWNER' RETURNING role`,
    [workspace],
  );
  expect(await status()).toBe(400);
});
