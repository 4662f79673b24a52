import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inTransaction } from '../../../src/core/context/in-transaction.ts';
import { ZipFile } from '../../../src/dataset-management/annotation-import/files/zip-file.ts';
import {
  claimAnnotationImport,
  finishAnnotationImport,
  holdAnnotationImport,
  renewAnnotationImport,
} from '../../../src/dataset-management/annotation-import/jobs/claim-annotation-import.ts';
import { reportOf } from '../../../src/dataset-management/annotation-import/jobs/import-report.ts';
import {
  releaseImports,
  takeUpImports,
} from '../../../src/dataset-management/annotation-import/jobs/take-up-imports.ts';
import { NOON, type RestAnswer } from '../../support/app.ts';
import { failure, startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { importCoco } from '../../support/import-coco.ts';
import { jpeg } from '../../support/images.ts';
import { interceptRows } from '../../support/intercept-rows.ts';
import { compressRuns } from '../../support/masks.ts';
import { claimingZip, zipOf } from '../../support/zip-of.ts';

const [WIDTH, HEIGHT] = [100, 80];
let app: DatasetApp;
let workspace: string;
let dataset: string;
const images: Record<string, string> = {};
beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  workspace = await app.workspace();
  dataset = await app.dataset(workspace, 'all');
  for (const path of ['a.jpg', 'b.jpg', 'train/c.jpg', 'val/c.jpg'])
    images[path] = await app.data(
      app.upload({
        DatasetId: dataset,
        FileName: path,
        Path: path,
        Image: await jpeg(WIDTH, HEIGHT),
      }),
    );
});
afterAll(() => app.close());

const project = (name = 'Project'): Promise<string> => app.project(workspace, dataset, name);
const send = (
  projectId: string,
  file: string | Buffer,
  fields: Record<string, string> = {},
  token = app.tokens.owner,
) => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ projectId, ...fields })) form.set(name, value);
  form.set('File', new Blob([typeof file === 'string' ? file : Uint8Array.from(file)]), 'file');
  return app.rest('/api/Projects/importAnnotations', token, { method: 'POST', body: form });
};
/** Waits until every job that was begun is over. */
const idle = () =>
  new Promise<void>((resolve) => app.services.background(() => Promise.resolve(resolve())));
const globalId = (uuid: string): string =>
  Buffer.from(`AnnotationImport:${uuid}`).toString('base64');
const look = async (uuid: string, token = app.tokens.owner): Promise<any> =>
  (
    await app.gql(
      `query ($id: ID!) { node(id: $id) { ... on AnnotationImport { uuid state fileName dryRun progress format imagesCount annotationsCount
        replacedImagesCount changedImagesCount newClassNames unmatchedCount unmatchedNames problemsCount problems { file image object message } } } }`,
      { id: globalId(uuid) },
      token,
    )
  ).data.node;
/** Imports and waits for the end. */
const load = async (
  projectId: string,
  file: string | Buffer,
  fields: Record<string, string> = {},
): Promise<any> => {
  const uuid = await app.data(send(projectId, file, fields));
  await idle();
  return look(uuid);
};
let archives = 0;
/** The label files of an export, by name. */
const exported = async (projectId: string, format: string): Promise<Record<string, string>> => {
  const { bytes } = await app.download(
    `/api/Projects/export?projectId=${projectId}&dataFilter=All&format=${format}`,
  );
  const path = join(app.folder, `${++archives}.zip`);
  writeFileSync(path, bytes);
  const zip = await ZipFile.open(path, bytes.length);
  const texts: Record<string, string> = {};
  for (const member of zip.members)
    if (/\.(txt|xml|json|yaml)$/.test(member.name))
      texts[member.name] = await zip.text(member, 1e9);
  return texts;
};
const coco = async (projectId: string): Promise<any> =>
  JSON.parse((await exported(projectId, 'Coco'))['coco/annotations.json'] ?? '');
/** The annotations of a project by the path of their image, in COCO's words. */
const annotationsOf = async (projectId: string): Promise<Record<string, any[]>> => {
  const file = await coco(projectId);
  const names = new Map(file.categories.map(({ id, name }: any) => [id, name]));
  return Object.fromEntries(
    file.images.map(({ id, path }: any) => [
      path,
      file.annotations
        .filter(({ image_id }: any) => image_id === id)
        .map((one: any) => ({
          ...Object.fromEntries(Object.entries(one).filter(([name]) => !/^(.*_)?id$/.test(name))),
          class: names.get(one.category_id),
        })),
    ]),
  );
};
const box = { id: 1, image_id: 1, category_id: 1, bbox: [1, 2, 30, 40] };
const simple = (...annotations: object[]): string =>
  JSON.stringify({
    categories: [{ id: 1, name: 'bolt' }],
    images: [{ id: 1, file_name: 'a.jpg' }],
    annotations,
  });

describe('a file is imported in the background', () => {
  test('its categories become classes, its annotations replace those of each image', async () => {
    const id = await project();
    expect(await load(id, simple(box), { FileName: 'labels.json' })).toMatchObject({
      state: 'SUCCEEDED',
      fileName: 'labels.json',
      dryRun: false,
      progress: 1,
      format: 'COCO',
      imagesCount: 1,
      annotationsCount: 1,
      replacedImagesCount: 0,
      changedImagesCount: 1,
      newClassNames: ['bolt'],
      unmatchedCount: 0,
      problemsCount: 0,
    });
    expect(await load(id, simple(box))).toMatchObject({
      replacedImagesCount: 1,
      changedImagesCount: 0,
      newClassNames: [],
    });
    expect((await annotationsOf(id))['a.jpg']).toMatchObject([
      { class: 'bolt', bbox: [1, 2, 30, 40] },
    ]);
    expect((await app.objects()).filter((key) => key.startsWith('imports/'))).toEqual([]);
  });

  test('an image that is right already keeps its review; only one that nobody annotated becomes annotated', async () => {
    const id = await project();
    const review = async (projectId: string, path = 'a.jpg'): Promise<any> =>
      (
        await app.gql(
          `query ($i: UUID!, $p: ID!) { image(uuid: $i) { id review(projectId: $p) { state version reviewedBy { login } reviewedAt annotatedAt } } }`,
          { i: images[path], p: projectId },
          app.tokens.owner,
        )
      ).data.image;
    const projectId = Buffer.from(`Project:${id}`).toString('base64');
    const file = (...annotations: object[]): string =>
      JSON.stringify({
        ...JSON.parse(simple(...annotations)),
        images: [
          { id: 1, file_name: 'a.jpg' },
          { id: 2, file_name: 'b.jpg' },
        ],
      });
    expect(await load(id, file(box))).toMatchObject({ changedImagesCount: 1 });
    expect((await review(projectId, 'b.jpg')).review).toMatchObject({
      state: 'ANNOTATED',
      version: 1,
    });
    for (const state of ['ACCEPTED', 'REJECTED']) {
      const { data } = await app.gql(
        'mutation ($input: ReviewImageInput!) { reviewImage(input: $input) { __typename } }',
        { input: { projectId, imageId: (await review(projectId)).id, state } },
        app.tokens.owner,
      );
      expect(data.reviewImage.__typename).toBe('AnnotateImagePayload');
      const before = await review(projectId);
      expect(before.review).toMatchObject({ state, reviewedBy: { login: 'owner' } });
      app.setTime(app.services.clock() + 1000);
      expect(await load(id, file(box))).toMatchObject({ changedImagesCount: 0 });
      expect(await review(projectId)).toEqual(before);
    }
    expect(await load(id, file({ ...box, bbox: [1, 2, 3, 4] }))).toMatchObject({
      changedImagesCount: 1,
    });
    expect((await review(projectId)).review.state).toBe('ANNOTATED');
  });

  test('annotations that were made one after the other stay with their review where a file has the same', async () => {
    const id = await project();
    await load(id, simple(box));
    const given = {
      projectId: Buffer.from(`Project:${id}`).toString('base64'),
      imageId: Buffer.from(`DatasetImage:${images['a.jpg'] ?? ''}`).toString('base64'),
    };
    const change = async (mutation: string, input: object): Promise<void> => {
      const type = `${mutation.slice(0, 1).toUpperCase()}${mutation.slice(1)}Input`;
      const query = `mutation ($input: ${type}!) { ${mutation}(input: $input) { ... on UserError { message } } }`;
      const answer = await app.gql(query, { input: { ...given, ...input } }, app.tokens.owner);
      expect(answer.data[mutation]).toEqual({});
    };
    // Later ones get ids before and behind those that are there.
    for (let at = 1; at <= 8; at++) {
      app.setTime(NOON + at * 1000);
      const add = [{ className: 'bolt', shape: 'BBOX', geometry: [at, at, 9, 9] }];
      await change('changeAnnotations', { add });
    }
    await change('reviewImage', { state: 'ACCEPTED' });
    app.setTime(NOON);
    const before = await annotationsOf(id);
    const job = await load(id, JSON.stringify(await coco(id)));
    expect(job).toMatchObject({ state: 'SUCCEEDED', annotationsCount: 9, changedImagesCount: 0 });
    expect(await annotationsOf(id)).toEqual(before);
    const { state } = await app.services.db.prisma.imageReview.findFirstOrThrow({
      where: { projectId: id },
    });
    expect(state).toBe('ACCEPTED');
  });

  test('a crowd that is moved stays one; area and box of its file go', async () => {
    const id = await project();
    await load(id, simple({ ...box, iscrowd: 1, area: 7 }));
    const { id: annotationId } = await app.services.db.prisma.annotation.findFirstOrThrow({
      where: { projectId: id },
    });
    const global = (type: string, uuid = ''): string =>
      Buffer.from(`${type}:${uuid}`).toString('base64');
    const change = [{ annotationId: global('Annotation', annotationId), geometry: [2, 2, 30, 40] }];
    const input = {
      projectId: global('Project', id),
      imageId: global('DatasetImage', images['a.jpg']),
      change,
    };
    const query =
      'mutation ($input: ChangeAnnotationsInput!) { changeAnnotations(input: $input) { ... on UserError { message } } }';
    const answer = await app.gql(query, { input }, app.tokens.owner);
    expect(answer.data.changeAnnotations).toEqual({});
    expect((await annotationsOf(id))['a.jpg']).toEqual([
      expect.objectContaining({ bbox: [2, 2, 30, 40], area: 1200, iscrowd: 1 }),
    ]);
  });

  test('a rehearsal says what would happen and changes nothing, problems or not', async () => {
    const id = await project();
    const before = await coco(id);
    expect(await load(id, simple(box), { DryRun: 'true' })).toMatchObject({
      state: 'SUCCEEDED',
      dryRun: true,
      imagesCount: 1,
      annotationsCount: 1,
      changedImagesCount: 0,
      newClassNames: ['bolt'],
    });
    expect(
      await load(id, simple({ ...box, bbox: [0, 0, 0, 0] }), { DryRun: 'true' }),
    ).toMatchObject({
      state: 'SUCCEEDED',
      problemsCount: 1,
      problems: [{ file: 'file', image: 'a.jpg', object: 'annotation 1', message: /a box is/ }].map(
        (one) => ({ ...one, message: expect.stringMatching(one.message) }),
      ),
    });
    const after = await coco(id);
    expect([after.categories, after.annotations]).toEqual([before.categories, before.annotations]);
  });

  test('with a problem nothing of the file is stored; a thousand are listed, the rest is counted', async () => {
    const id = await project();
    const bad = Array.from({ length: 1500 }, (_, n) => ({ ...box, id: n, bbox: [0, 0, 0, 0] }));
    const job = await load(id, simple(box, ...bad));
    expect(job).toMatchObject({ state: 'FAILED', problemsCount: 1500, changedImagesCount: 0 });
    expect(job.problems.length).toBe(1000);
    expect((await coco(id)).categories).toEqual([]);
  });

  test('images that the project does not have are problems, or left out and named', async () => {
    const id = await project();
    const file = JSON.stringify({
      categories: [{ id: 1, name: 'bolt' }],
      images: [
        { id: 1, file_name: 'a.jpg' },
        { id: 2, file_name: 'none.jpg' },
        { id: 3, file_name: 'elsewhere/c.jpg' },
        { id: 4, file_name: 'images/train/c.jpg' },
      ],
      annotations: [box, { ...box, id: 2, image_id: 4 }],
    });
    const missing = { unmatchedCount: 2, unmatchedNames: ['none.jpg', 'elsewhere/c.jpg'] };
    expect(await load(id, file)).toMatchObject({ state: 'FAILED', problemsCount: 2, ...missing });
    expect(await load(id, file, { AllowUnmatched: 'true' })).toMatchObject({
      state: 'SUCCEEDED',
      imagesCount: 2,
      ...missing,
    });
    const found = await annotationsOf(id);
    expect([found['train/c.jpg']?.length, found['val/c.jpg']?.length]).toEqual([1, 0]);
  });

  test('only who may change the project may import; others see neither job nor project', async () => {
    const id = await project();
    expect(await send(id, simple(box), {}, app.tokens.stranger)).toMatchObject(
      failure(400, 'PROJECT_NOT_FOUND'),
    );
    await app.member(workspace, 'other', 'ANNOTATOR');
    expect(await send(id, simple(box), {}, app.tokens.other)).toMatchObject(
      failure(400, 'FORBIDDEN'),
    );
    const uuid = await app.data(send(id, simple(box)));
    await idle();
    expect(await look(uuid, app.tokens.other)).toBeNull();
    expect(await send(id, '')).toMatchObject(failure(400, 'VALIDATION_ERROR'));
    expect(await send(id, simple(box), { Format: 'Excel' })).toMatchObject(
      failure(400, 'VALIDATION_ERROR'),
    );
    expect(await send(id, simple(box), { DryRun: 'perhaps' })).toMatchObject(
      failure(400, 'VALIDATION_ERROR'),
    );
  });

  test('a job that was left by its gateway runs again; after three attempts it has failed', async () => {
    const id = await project();
    const hold = { go: (): void => undefined };
    app.services.background(() => new Promise<void>((resolve) => (hold.go = resolve)));
    const uuid = await app.data(send(id, simple(box)));
    const set = (values: string) =>
      app.services.db.rows(`UPDATE annotation_import SET ${values} WHERE id = $1 RETURNING id`, [
        uuid,
      ]);
    await set(`state = 'RUNNING', runner = '${uuid}', attempts = 1, alive_at = clock_timestamp()`);
    hold.go();
    await idle();
    expect((await look(uuid)).state).toBe('RUNNING');
    await set(`alive_at = clock_timestamp() - interval '1 minute'`);
    await takeUpImports(app.services);
    await idle();
    expect(await look(uuid)).toMatchObject({ state: 'SUCCEEDED', changedImagesCount: 1 });

    app.services.background(() => new Promise<void>((resolve) => (hold.go = resolve)));
    const other = await app.data(send(id, simple(box)));
    await app.services.db.rows(
      `UPDATE annotation_import SET state = 'RUNNING', runner = id, attempts = 3, alive_at = NULL WHERE id = $1 RETURNING id`,
      [other],
    );
    await releaseImports(app.services);
    hold.go();
    await idle();
    expect(await look(other)).toMatchObject({ state: 'FAILED', problemsCount: 1 });
  });

  test('a job of a locked domain is neither begun nor ended, and runs when the domain is open', async () => {
    const id = await project();
    const hold = { go: (): void => undefined };
    const lock = (state: string) =>
      app.services.db.rows('UPDATE domain SET state = $1 RETURNING id', [state]);
    const takeUp = async (): Promise<void> => {
      await takeUpImports(app.services);
      await idle();
    };
    app.services.background(() => new Promise<void>((resolve) => (hold.go = resolve)));
    const uuid = await app.data(send(id, simple(box)));
    await lock('LOCKED');
    hold.go();
    await takeUp();
    expect((await look(uuid)).state).toBe('QUEUED');

    await lock('OPEN');
    const job = await claimAnnotationImport(app.services);
    await lock('LOCKED');
    const end = {
      state: 'SUCCEEDED',
      report: reportOf(undefined, undefined, 0),
      finishedAt: new Date(),
      expiresAt: new Date(),
    } as const;
    if (!job) throw new Error('nothing to claim');
    expect(await inTransaction(app.services, (tx) => holdAnnotationImport(tx, job))).toBe(false);
    expect(await renewAnnotationImport(app.services, job, 0.5)).toBe(false);
    await finishAnnotationImport(app.services, job, end);
    expect(await look(uuid)).toMatchObject({ state: 'RUNNING', progress: 0 });
    await app.services.db.rows(
      'UPDATE annotation_import SET alive_at = NULL WHERE id = $1 RETURNING id',
      [uuid],
    );
    await takeUp();
    expect((await look(uuid)).state).toBe('RUNNING');
    await lock('OPEN');
    await takeUp();
    expect(await look(uuid)).toMatchObject({ state: 'SUCCEEDED', changedImagesCount: 1 });
  });

  test('one that is cancelled changes nothing more, and two at once are enough for a user', async () => {
    const id = await project();
    const hold = { go: (): void => undefined };
    app.services.background(() => new Promise<void>((resolve) => (hold.go = resolve)));
    const jobs = [await app.data(send(id, simple(box))), await app.data(send(id, simple(box)))];
    const third = await send(id, simple(box));
    expect([third.status, third.headers.get('retry-after')]).toEqual([429, '10']);
    const cancel = (uuid: string, token = app.tokens.owner) =>
      app.gql(
        'mutation ($id: ID!) { cancelAnnotationImport(input: { jobId: $id }) { ... on CancelAnnotationImportPayload { job { state } } ... on NotFoundError { entity } } }',
        { id: globalId(uuid) },
        token,
      );
    expect((await cancel(jobs[0], app.tokens.stranger)).data.cancelAnnotationImport).toEqual({
      entity: 'AnnotationImport',
    });
    for (const uuid of jobs)
      expect((await cancel(uuid)).data.cancelAnnotationImport.job.state).toBe('CANCELLED');
    hold.go();
    await idle();
    expect((await coco(id)).categories).toEqual([]);
    expect((await app.objects()).filter((key) => key.startsWith('imports/'))).toEqual([]);
  });

  test('images with much to write are each a transaction, so that nobody waits for all of them', async () => {
    const id = await project();
    const two = (segmentation: number[]): string =>
      JSON.stringify({
        categories: [{ id: 1, name: 'bolt' }],
        images: ['a.jpg', 'b.jpg'].map((file_name, at) => ({ id: at, file_name })),
        annotations: [0, 1].map((image_id) => ({ ...box, image_id, segmentation: [segmentation] })),
      });
    const written = async (file: string): Promise<unknown> => {
      expect(await load(id, file)).toMatchObject({ state: 'SUCCEEDED', changedImagesCount: 2 });
      return app.services.db.rows(
        'SELECT count(*)::text, count(DISTINCT xmin::text)::text FROM annotation WHERE project_id = $1',
        [id],
      );
    };
    expect(await written(two([1, 2, 31, 2, 31, 42]))).toEqual([['2', '1']]);
    const around = Array.from({ length: 4_000 }, (_, at) => at * 0.001 * Math.PI);
    const outline = around.flatMap((angle) => [
      50 + 30 * Math.cos(angle),
      40 + 30 * Math.sin(angle),
    ]);
    expect(await written(two(outline))).toEqual([['2', '2']]);
  });

  test('imports, changes of classes and annotators at once wait for each other, and never in a circle', async () => {
    const id = await project();
    const { data } = await app.gql(
      'query ($uuid: UUID!, $i: UUID!) { project(uuid: $uuid) { id } image(uuid: $i) { id } }',
      { uuid: id, i: images['a.jpg'] },
      app.tokens.owner,
    );
    const [projectId, imageId] = [data.project.id, data.image.id];
    const names = ['a.jpg', 'b.jpg', 'train/c.jpg', 'val/c.jpg'];
    const file = (order: readonly string[]): string =>
      JSON.stringify({
        categories: ['x', 'y'].map((name, at) => ({ id: at + 1, name })),
        images: order.map((file_name, at) => ({ id: at, file_name })),
        annotations: order.flatMap((_, at) =>
          [1, 2].map((category_id) => ({
            ...box,
            id: 10 * at + category_id,
            image_id: at,
            category_id,
          })),
        ),
      });
    for (let round = 0; round < 5; round++) {
      await load(id, file(names));
      const [job, command, merged, annotated] = await Promise.all([
        app.data(send(id, file(names))),
        importCoco(app, id, file([...names].reverse())).then(
          () => 'imported',
          (error: unknown) => String(error),
        ),
        app.gql(
          'mutation ($p: ID!) { mergeAnnotationClasses(input: { projectId: $p, from: ["x"], into: "y" }) { __typename ... on UserError { message } } }',
          { p: projectId },
          app.tokens.owner,
        ),
        app.gql(
          'mutation ($p: ID!, $i: ID!) { annotateImage(input: { projectId: $p, imageId: $i, annotations: [{ className: "y", shape: CLASSIFICATION }] }) { __typename ... on UserError { message } } }',
          { p: projectId, i: imageId },
          app.tokens.owner,
        ),
        // The operator's import of records.
        app.load(
          [...names].reverse().map((name) => ({
            record: 'annotations',
            project: id,
            image: images[name],
            annotations: [{ class: 'y', shape: 'CLASSIFICATION' }],
          })),
        ),
      ]);
      await idle();
      expect(merged.data.mergeAnnotationClasses.__typename).toBe('ClassChangePayload');
      expect(annotated.data.annotateImage.__typename).toBe('AnnotateImagePayload');
      expect(command).toBe('imported');
      const { state, problems } = await look(job);
      expect([state, problems]).toEqual(
        state === 'FAILED'
          ? [
              'FAILED',
              [
                expect.objectContaining({
                  message: expect.stringContaining('the class x has gone'),
                }),
              ],
            ]
          : ['SUCCEEDED', []],
      );
    }
  });

  test.each([
    ['unassigned', '/api/Projects/UnlinkDataset'],
    ['deleted', '/api/Datasets/delete'],
  ])('nothing is written to images of a dataset that is %s meanwhile', async (_, path) => {
    const own = await app.dataset(workspace, 'leaving');
    await app.image(own, await jpeg(WIDTH, HEIGHT), 'leaving.jpg');
    const id = await app.project(workspace, own);
    const leave = () => app.post(path, { projectId: id, datasetId: own });
    const stop = interceptRows(app.services.db, (run) => async (text, ...rest) => {
      const rows = await run(text, ...rest);
      // The import has found its images, and writes nothing yet.
      if (/^SELECT i\.id, i\.name, i\.path/.test(text)) expect((await leave()).status).toBe(200);
      return rows;
    });
    const job = await load(id, simple(box).replace('a.jpg', 'leaving.jpg'));
    stop();
    const message = 'the image leaving.jpg has gone while its annotations were imported';
    expect(job).toMatchObject({ state: 'FAILED', changedImagesCount: 0, problems: [{ message }] });
    expect(await app.services.db.prisma.annotation.count({ where: { projectId: id } })).toBe(0);
  });

  test('the images of a large project are read some at once, and others are answered in between', async () => {
    const [own, second] = [
      await app.dataset(workspace, 'many'),
      await app.dataset(workspace, 'few'),
    ];
    const first = await app.image(own, await jpeg(WIDTH, HEIGHT), 'first.jpg');
    await app.image(second, await jpeg(WIDTH, HEIGHT), 'last.jpg');
    await app.services.db.rows(
      `INSERT INTO image (id, dataset_id, name, width, height, mime_type, blob_id, thumb_blob_id, created_date)
       SELECT gen_random_uuid(), dataset_id, n || '.jpg', width, height, mime_type, blob_id, thumb_blob_id, created_date FROM image CROSS JOIN generate_series(1, 2500) n WHERE id = $1`,
      [first],
    );
    const id = await app.project(workspace, own);
    await app.data(app.post('/api/Projects/AssignDataset', { projectId: id, datasetId: second }));
    const read: number[] = [];
    const stop = interceptRows(app.services.db, (run) => async (...statement) => {
      const rows = await run(...statement);
      read.push(rows.length);
      return rows;
    });
    const numbers = Array.from({ length: 2500 }, (_, at) => String(at + 1));
    const found = ['first', ...numbers, 'last'].map((name, at) => ({
      id: at,
      file_name: `${name}.jpg`,
    }));
    const categories = [{ id: 1, name: 'bolt' }];
    const file = JSON.stringify({ categories, images: found, annotations: [] });
    const job = await load(id, file, { DryRun: 'true' });
    stop();
    expect(job).toMatchObject({ state: 'SUCCEEDED', imagesCount: 2502, unmatchedCount: 0 });
    expect(Math.max(...read)).toBe(1000);
  });

  test('GraphQL follows the job to its end; the same file with the same key is the same job', async () => {
    const id = await project();
    const once = (): Promise<RestAnswer> => {
      const form = new FormData();
      form.set('projectId', id);
      form.set('File', new Blob([simple(box)]), 'coco.json');
      return app.rest('/api/Projects/importAnnotations', app.tokens.owner, {
        method: 'POST',
        body: form,
        headers: { 'idempotency-key': 'once' },
      });
    };
    const uuid = await app.data(once());
    const again = await once();
    expect([again.json.data, again.headers.get('idempotent-replayed')]).toEqual([uuid, 'true']);
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${app.tokens.owner}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({
        query:
          'subscription ($id: ID!) { annotationImportChanged(jobId: $id) { state changedImagesCount } }',
        variables: { id: globalId(uuid) },
      }),
    });
    const events = await response.text();
    expect(events).toContain('"state":"SUCCEEDED","changedImagesCount":1');
    expect(await look(uuid)).toMatchObject({ fileName: 'coco.json' });
    expect((await annotationsOf(id))['a.jpg']?.length).toBe(1);
  });
});

test('COCO: a list of empty rings, as programs write it for a box, is no outline', async () => {
  const id = await project();
  const points = { ...box, keypoints: [5, 6, 2] };
  const file = simple(...[box, points].map((one) => ({ ...one, segmentation: [[]] })));
  expect(await load(id, file)).toMatchObject({ state: 'SUCCEEDED' });
  expect((await annotationsOf(id))['a.jpg']).toMatchObject([
    { bbox: box.bbox, segmentation: [] },
    { bbox: box.bbox, segmentation: [], keypoints: points.keypoints },
  ]);
});

test('COCO: key points that are not labelled may be anywhere, as CVAT leaves them outside', async () => {
  const id = await project();
  const some = { ...box, keypoints: [5, 6, 2, -40, 300, 0] };
  const none = { ...box, keypoints: [5, 6, 0, -40, 300, 0] };
  expect(await load(id, simple(some, none))).toMatchObject({ state: 'SUCCEEDED' });
  expect((await annotationsOf(id))['a.jpg']).toMatchObject([
    { keypoints: some.keypoints, num_keypoints: 1, bbox: box.bbox },
    { keypoints: [0, 0, 0, 0, 0, 0], num_keypoints: 0, bbox: box.bbox },
  ]);
  const outside = { ...box, keypoints: [5, 6, 2, -40, 300, 1] };
  expect(await load(id, simple(outside))).toMatchObject({ state: 'FAILED' });
});

const yaml = 'names:\n  0: bolt\n  1: "nut \\u00e4" # small\n';
const xml = (objects: string, size = `<width>${WIDTH}</width><height>${HEIGHT}</height>`): string =>
  `<?xml version="1.0"?><annotation><filename>a.jpg</filename><size>${size}</size>${objects}</annotation>`;
const vocBox =
  '<object><name>bolt &amp; nut</name><difficult>1</difficult><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>10</xmax><ymax>20</ymax></bndbox></object>';
const attribute = (name: string, value: string): string =>
  `<attribute><name>${name}</name><value>${value}</value></attribute>`;

describe('labels that others write', () => {
  test('YOLO: folders of a split, boxes and outlines, names by number, as a list or in classes.txt', async () => {
    for (const names of [
      { 'data.yaml': yaml },
      { 'data/data.yaml': `train: ../train\nnc: 2\nnames: ['bolt', "nut ä"]\n` },
      { 'classes.txt': 'bolt\r\nnut ä\r\n' },
    ]) {
      const id = await project();
      const job = await load(
        id,
        zipOf({
          ...names,
          'labels/a.txt': '0 0.5 0.5 0.2 0.5\n1 0.1 0.1 0.9 0.1 0.9 0.9\n',
          'labels/train/c.txt': '1 0.25 0.25 0.5 0.5\r\n',
          'labels/b.txt': '',
          'README.txt': 'not a label',
        }),
      );
      expect(job).toMatchObject({ state: 'SUCCEEDED', format: 'YOLO', imagesCount: 3 });
      const found = await annotationsOf(id);
      expect(found['a.jpg']).toMatchObject([
        { class: 'bolt', bbox: [40, 20, 20, 40] },
        { class: 'nut ä', segmentation: [[10, 8, 90, 8, 90, 72]] },
      ]);
      expect(found['train/c.jpg']).toMatchObject([{ class: 'nut ä', bbox: [0, 0, 50, 40] }]);
      expect(found['b.jpg']).toEqual([]);
    }
  });

  test('of images of one name, the longest path decides: also where labels are in each folder, and documents in several', async () => {
    const own = await app.dataset(workspace, 'folders');
    for (const path of ['c.jpg', 'train/c.jpg', 'val/images/c.jpg', 'v1.5 photo', 'blank .jpg'])
      await app.data(
        app.upload({
          DatasetId: own,
          FileName: path,
          Path: path,
          Image: await jpeg(WIDTH, HEIGHT),
        }),
      );
    const [bolt, nut] = ['0 0.5 0.5 0.2 0.5\n', '1 0.5 0.5 0.2 0.5\n'];
    const object = (name: string) => vocBox.replace('bolt &amp; nut', name);
    const document = (fileName: string, name: string) =>
      xml(object(name)).replace('a.jpg', fileName);
    const trained = { 'train/c.jpg': ['bolt'], 'val/images/c.jpg': ['nut'] };
    const files: [object, Record<string, string>][] = [
      [trained, { 'train/labels/c.txt': bolt, 'val/labels/c.txt': nut }],
      [trained, { 'set/labels/train/c.txt': bolt, 'set/labels/val/c.txt': nut }],
      [{ 'c.jpg': ['bolt'] }, { 'labels/c.txt': bolt }],
      [
        { 'v1.5 photo': ['bolt'], 'blank .jpg': ['nut'] },
        { 'labels/v1.5 photo.txt': bolt, 'labels/blank .txt': nut },
      ],
      [
        { 'train/c.jpg': ['bolt'], 'c.jpg': ['nut'] },
        {
          'Annotations/train/c.xml': document('c.jpg', 'bolt'),
          'Annotations/c.xml': document('c.jpg', 'nut'),
        },
      ],
      // Label Studio has written names so.
      [{ 'train/c.jpg': ['bolt'] }, { 'train/Annotations/c.xml': document('c', 'bolt') }],
    ];
    for (const [wanted, file] of files) {
      const id = await app.project(workspace, own);
      const job = await load(id, zipOf({ 'data.yaml': 'names: [bolt, nut]', ...file }));
      expect([job.state, job.problems]).toEqual(['SUCCEEDED', []]);
      const found = Object.entries(await annotationsOf(id)).map(([path, list]) => [
        path,
        list.map(({ class: name }) => name),
      ]);
      expect(Object.fromEntries(found.filter(([, names]) => names?.length))).toEqual(wanted);
    }
  });

  test('COCO: an archive may have a file for each part, with ids of its own, and names in its folder', async () => {
    const part = (file_name: string, ...categories: string[]) =>
      JSON.stringify({
        images: [{ id: 1, file_name }],
        categories: categories.map((name, at) => ({ id: at + 1, name })),
        annotations: [box],
      });
    const found = { 'train/c.jpg': ['bolt'], 'val/c.jpg': ['nut'] };
    for (const file of [
      {
        'set/train/_annotations.coco.json': part('c.jpg', 'bolt', 'nut'),
        'set/val/_annotations.coco.json': part('c.jpg', 'nut'),
      },
      {
        'annotations/instances_Train.json': part('train/c.jpg', 'bolt'),
        'annotations/instances_Validation.json': part('val/c.jpg', 'nut', 'bolt'),
      },
    ]) {
      // prettier-ignore
      for (const fields of [{}, { Format: 'Coco' }]) {
        const id = await project();
        const job = await load(id, zipOf(file), fields);
        expect(job).toMatchObject({ state: 'SUCCEEDED', format: 'COCO', imagesCount: 2 });
        const names = Object.entries(await annotationsOf(id)).map(([path, list]) => [
          path,
          list.map(({ class: name }) => name),
        ]);
        expect(Object.fromEntries(names.filter(([, list]) => list?.length))).toEqual(found);
      }
    }

    const twice = { 'a/instances.json': part('a.jpg', 'x'), 'a/more.json': part('a.jpg', 'x') };
    expect(await load(await project(), zipOf(twice))).toMatchObject({
      state: 'FAILED',
      problems: [
        { file: 'a/more.json', image: 'a/a.jpg', message: 'is an image that the file has already' },
      ],
    });
  });

  test('YOLO: a label may have any name in labels; outside, lists of classes and of files are none', async () => {
    const names = ['test.jpg', 'readme_1.jpg', 'classes.jpg'];
    const own = await app.dataset(workspace, 'names');
    for (const name of names) await app.image(own, await jpeg(WIDTH, HEIGHT), name);
    const id = await app.project(workspace, own);
    const label = '0 0.5 0.5 0.2 0.5\n';
    const labels = Object.fromEntries(
      names.map((name) => [`labels/${name.replace('.jpg', '.txt')}`, label]),
    );
    const others = { 'train.txt': './images/a.jpg\n', 'val/classes.txt': 'bolt\n' };
    const job = await load(id, zipOf({ 'data.yaml': yaml, ...others, ...labels }));
    expect(job).toMatchObject({ state: 'SUCCEEDED', imagesCount: 3, annotationsCount: 3 });

    const list = { 'labels/classes.txt': 'bolt\nnut\n' };
    const prose = {
      'labels/train.txt': './a.jpg\n',
      'labels/readme.txt': 'Labels.\n',
      'labels/license.txt': '',
    };
    for (const more of [{}, prose, { 'data.yaml': yaml }])
      expect(
        await load(await project(), zipOf({ ...more, ...list, 'labels/train/a.txt': label })),
      ).toMatchObject({ state: 'SUCCEEDED', imagesCount: 1, annotationsCount: 1 });
    expect(
      await load(await project(), zipOf({ ...list, 'a.txt': label, 'test.txt': './a.jpg' })),
    ).toMatchObject({ state: 'SUCCEEDED', imagesCount: 1, annotationsCount: 1 });
  });

  test('names are found in any form of Unicode; where two differ in it alone, the same form decides', async () => {
    const [composed, apart] = ['gr\u00fcn', 'gru\u0308n'];
    const own = await app.dataset(workspace, 'forms');
    const first = await app.image(own, await jpeg(WIDTH, HEIGHT), `${apart}.jpg`);
    const label = { 'data.yaml': yaml };
    for (const name of [composed, apart]) {
      const id = await app.project(workspace, own);
      for (const file of [
        simple({ ...box, bbox: [1, 2, 3, 4] }).replace('a.jpg', `${name}.jpg`),
        zipOf({ ...label, [`labels/${name}.txt`]: '0 0.5 0.5 0.2 0.5\n' }),
      ])
        expect(await load(id, file)).toMatchObject({ state: 'SUCCEEDED', changedImagesCount: 1 });
    }

    const second = await app.image(own, await jpeg(WIDTH, HEIGHT), `${composed}.jpg`);
    const id = await app.project(workspace, own);
    const [one, two] = ['0 0.5 0.5 0.2 0.5\n', '1 0.5 0.5 0.2 0.5\n'];
    const file = zipOf({
      ...label,
      [`labels/${apart}.txt`]: one,
      [`labels/${composed}.txt`]: two,
    });
    expect(await load(id, file)).toMatchObject({ state: 'SUCCEEDED', imagesCount: 2 });
    const { categories, images: exportedImages, annotations } = await coco(id);
    const classOf = (uuid: string): string => {
      const image = exportedImages.find((each: any) => each.uuid === uuid);
      const found = annotations.find(({ image_id }: any) => image_id === image.id);
      return categories.find(({ id: key }: any) => key === found.category_id).name;
    };
    expect([classOf(first), classOf(second)]).toEqual(['bolt', 'nut ä']);
  });

  test('YOLO: faults by file and line', async () => {
    const job = await load(
      await project(),
      zipOf({
        'data.yaml': yaml,
        'labels/a.txt':
          '0 0.5 0.5 0.2 0.5\n7 0.5 0.5 0.2 0.5\n0 x 0 0 0\n0 1 2 3\n0 0.9 0.9 0.5 0.5\n',
      }),
    );
    expect(job.problems.map(({ file, object, message }: any) => [file, object, message])).toEqual([
      ['labels/a.txt', 'line 2', 'the file has no class 7'],
      ['labels/a.txt', 'line 3', 'has something that is no number'],
      ['labels/a.txt', 'line 4', expect.stringContaining('neither 4 numbers')],
      ['labels/a.txt', 'line 5', expect.stringContaining('a box is')],
    ]);
  });

  test('Pascal VOC: flags are attributes; faults by file and object', async () => {
    const id = await project();
    expect(await load(id, zipOf({ 'VOC/Annotations/a.xml': xml(vocBox) }))).toMatchObject({
      state: 'SUCCEEDED',
      format: 'PASCAL_VOC',
    });
    expect((await annotationsOf(id))['a.jpg']).toMatchObject([
      { class: 'bolt & nut', bbox: [0, 0, 10, 20], attributes: { difficult: true } },
    ]);
    const cvat = vocBox
      .replace(/<(x|y)(min|max)>(\d+)/g, '<$1$2>$3.0')
      .replace('</bndbox>', `$&<attributes>${attribute('new', 'False')}</attributes>`);
    expect(await load(id, zipOf({ 'Annotations/a.xml': xml(cvat) }))).toMatchObject({
      state: 'SUCCEEDED',
    });
    expect((await annotationsOf(id))['a.jpg']).toMatchObject([
      { bbox: [1, 1, 9, 19], attributes: { difficult: true, new: false } },
    ]);
    const job = await load(
      id,
      zipOf({
        'Annotations/a.xml': xml(`${vocBox}<object><name>x</name></object>`),
        'Annotations/b.xml': '<!DOCTYPE a [<!ENTITY x "y">]><annotation>&x;</annotation>',
        'Annotations/c.xml': '<annotation>&x;</annotation>',
        'Annotations/d.xml': '<annotation><size></annotation>',
      }),
    );
    expect(job.problems.map(({ file, object, message }: any) => [file, object, message])).toEqual([
      ['Annotations/b.xml', null, 'has a document type, which is not read'],
      ['Annotations/c.xml', null, 'is no XML: 1:15: undefined entity'],
      ['Annotations/d.xml', null, 'is no XML: 1:31: unexpected close tag'],
      ['Annotations/a.xml', 'object 2', 'has no bndbox of four numbers'],
    ]);
  });

  test('Label Studio: names of uploads, turned boxes, the true annotation; what is not read is a problem', async () => {
    const id = await project();
    const region = (value: object, type = 'rectanglelabels', more: object = {}) => ({
      id: 'r',
      type,
      value,
      ...more,
    });
    const task = (result: object[], more: object = {}) => ({
      id: 1,
      data: { image: '/data/upload/3/0a1b2c3d-a.jpg' },
      annotations: [
        { was_cancelled: true, result: [{}] },
        { ground_truth: true, result },
        { result: [] },
      ],
      ...more,
    });
    const square = { x: 50, y: 50, width: 10, height: 10, rotation: 90, rectanglelabels: ['bolt'] };
    const skipped = { id: 2, data: { image: 's3://bucket/b.jpg' }, annotations: [] };
    const job = await load(
      id,
      JSON.stringify([
        task([region(square), region({ choices: ['rusty'] }, 'choices', { id: 'c' })]),
        skipped,
      ]),
    );
    expect(job).toMatchObject({ state: 'SUCCEEDED', format: 'LABEL_STUDIO', imagesCount: 1 });
    expect((await annotationsOf(id))['a.jpg']).toMatchObject([
      { class: 'bolt', segmentation: [[50, 40, 50, 50, 42, 50, 42, 40]] },
      { class: 'rusty', shape: 'CLASSIFICATION' },
    ]);
    const small = [{ id: 1, image: 's3://bucket/a.jpg', label: [square], annotator: 1 }];
    const message = 'data: must be an object; in JSON-MIN it is missing: export as JSON';
    expect(await load(id, JSON.stringify(small), { Format: 'LabelStudio' })).toMatchObject({
      state: 'FAILED',
      problems: [{ file: 'file', object: 'task 1', message }],
    });
    const faulty = await load(
      id,
      JSON.stringify([
        task([
          region({ ellipselabels: ['bolt'] }, 'ellipselabels'),
          region({ format: 'rle', rle: [1, 2, 3], brushlabels: ['bolt'] }, 'brushlabels'),
          region(square, 'rectanglelabels', { original_width: 7 }),
        ]),
        { data: 1 },
      ]),
    );
    expect(faulty).toMatchObject({ state: 'FAILED', problemsCount: 4 });
  });
});

test('Label Studio: polygons at any depth are one annotation; those that are parts of themselves are problems', async () => {
  const polygon = (id: string, parentID: string | null, at: number, label = 'bolt') => ({
    id,
    parentID,
    type: 'polygonlabels',
    value: {
      points: [
        [at, 0],
        [at + 5, 0],
        [at, 10],
      ],
      polygonlabels: [label],
    },
  });
  const tasks = (...result: object[]): string =>
    JSON.stringify([{ data: { image: 'a.jpg' }, annotations: [{ result }] }]);
  const id = await project();
  const deep = [
    polygon('d', 'c', 60),
    polygon('c', 'b', 40),
    polygon('b', 'a', 20),
    polygon('a', 'other', 0),
    polygon('other', null, 80, 'nut'),
  ];
  expect(await load(id, tasks(...deep))).toMatchObject({
    state: 'SUCCEEDED',
    annotationsCount: 2,
  });
  const ring = (at: number): number[] => [at, 0, at + 5, 0, at, 8];
  expect((await annotationsOf(id))['a.jpg']).toMatchObject([
    { class: 'bolt', segmentation: [0, 60, 40, 20].map(ring) },
    { class: 'nut', segmentation: [ring(80)] },
  ]);
  const round = [polygon('a', 'b', 0), polygon('b', 'a', 20), polygon('c', 'b', 40)];
  const job = await load(id, tasks(...round, polygon('d', 'd', 60)));
  expect(job).toMatchObject({ state: 'FAILED', problemsCount: 3 });
  expect(job.problems.map(({ object, message }: any) => [object, message])).toEqual(
    ['a', 'b', 'c'].map((name) => [
      `region ${name}`,
      expect.stringContaining('is a part of itself'),
    ]),
  );
});

test('Label Studio: what was chosen for one region is an attribute of it, and no class of the image', async () => {
  const place = { x: 10, y: 10, width: 50, height: 50, rotation: 0 };
  const region = (id: string, type: string, value: object, more: object = {}) => ({
    ...{ id, type, value: { ...place, ...value }, from_name: type },
    ...more,
  });
  const choice = (id: string, from_name: string, ...choices: string[]) =>
    region(id, 'choices', { choices }, { from_name });
  const car = { rectanglelabels: ['car'] };
  const result = [
    choice('r', 'colour', 'red'),
    region('r', 'rectanglelabels', car, { meta: { attributes: { old: true } } }),
    region('s', 'rectanglelabels', car),
    choice('r', 'damage', 'door', 'roof'),
    choice('whole', 'weather', 'rainy'),
  ];
  const id = await project();
  const file = JSON.stringify([{ data: { image: 'a.jpg' }, annotations: [{ result }] }]);
  expect(await load(id, file)).toMatchObject({ newClassNames: ['car', 'rainy'] });
  const attributes = { old: true, colour: 'red', damage: 'door, roof' };
  expect((await annotationsOf(id))['a.jpg']).toEqual([
    expect.objectContaining({ class: 'car', attributes }),
    expect.not.objectContaining({ attributes: expect.anything() }),
    expect.objectContaining({ class: 'rainy', shape: 'CLASSIFICATION' }),
  ]);
});

test('Label Studio: of two points with one number none is lost without a word', async () => {
  const point = (id: string, x: number, number?: number) => ({
    id,
    parentID: 'box',
    type: 'keypointlabels',
    value: { x, y: 50, keypointlabels: ['bolt'] },
    ...(number !== undefined && { meta: { point: number } }),
  });
  const box = {
    id: 'box',
    type: 'rectanglelabels',
    value: { x: 10, y: 10, width: 80, height: 80, rectanglelabels: ['bolt'] },
  };
  const tasks = (...result: object[]): string =>
    JSON.stringify([{ data: { image: 'a.jpg' }, annotations: [{ result }] }]);
  const id = await project();
  const job = await load(id, tasks(box, point('p', 20, 1), point('q', 30), point('r', 40, 1)));
  expect(job).toMatchObject({
    state: 'FAILED',
    problems: [{ object: 'region r', message: 'is point 1, which is there already' }],
  });
  expect(await load(id, tasks(box, point('p', 20, 3), point('q', 30)))).toMatchObject({
    state: 'SUCCEEDED',
    annotationsCount: 1,
  });
  expect((await coco(id)).annotations).toMatchObject([
    { keypoints: [0, 0, 0, 0, 0, 0, 20, 40, 2, 30, 40, 2] },
  ]);
});

test('Label Studio: coordinates of polygons that are no numbers are refused, however deep they are', async () => {
  const id = await project();
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const value = { points: [[0, 0], ['wrong', 5], [9, 9]], polygonlabels: ['bolt'] }; // prettier-ignore
  const result = [{ id: 'r', type: 'polygonlabels', value }];
  const file = JSON.stringify([{ data: { image: 'a.jpg' }, annotations: [{ result }] }]);
  for (const wrong of ['null', '""', '"1"', 'true', '[1]', deep]) {
    const job = await load(id, file.replace('"wrong"', wrong));
    expect(job).toMatchObject({ state: 'FAILED', problems: [{ object: 'region r' }] });
  }
  expect((await coco(id)).annotations).toEqual([]);
});

describe('archives from anywhere are bounded', () => {
  const label = '0 0.5 0.5 0.2 0.5\n';
  test.each([
    ['no archive', Buffer.from('PK\x03\x04 but nothing else'), 'is no ZIP archive'],
    ['cut short', zipOf({ 'labels/a.txt': label }).subarray(0, -30), 'is no ZIP archive'],
    ['a name that leads out', zipOf({ '../labels/a.txt': label }), 'name leads out of it'],
    ['an absolute name', zipOf({ '/labels/a.txt': label }), 'name leads out of it'],
    ['encrypted', zipOf({ 'labels/a.txt': label }, { flags: 1 }), 'is encrypted'],
    [
      'another method',
      zipOf({ 'labels/a.txt': label }, { method: 99 }),
      'a method that is not read',
    ],
    ['a wrong sum', zipOf({ 'data.yaml': yaml }, { crc: 1 }), 'no annotations that are read'],
    [
      'a wrong sum of labels',
      zipOf({ 'data.yaml': yaml, 'labels/a.txt': label }, { crc: 1 }),
      'is damaged',
    ],
    [
      'a larger entry',
      zipOf({ 'data.yaml': yaml, 'labels/a.txt': label }, { size: 3 }),
      'is larger than',
    ],
    [
      'a bomb',
      zipOf({ 'data.yaml': yaml, 'labels/a.txt': '0'.repeat(4_000_000) }),
      'more tightly than',
    ],
    ['too many entries', claimingZip({ entries: 250_001 }), 'import it in parts'],
    ['a directory that is too long', claimingZip({ directory: 2 ** 25 + 1 }), 'import it in parts'],
    ['nothing in it', zipOf({}), 'has no annotations that are read'],
    ['labels alone', zipOf({ 'labels/a.txt': label }), 'neither data.yaml nor classes.txt'],
    [
      'several files, one of which is no COCO',
      zipOf({ 'a.json': '{}', 'b.json': '[]' }),
      'has several JSON files, and they are not all of COCO: import each of them by itself',
    ],
    [
      'several files, one of which is no JSON',
      zipOf({
        'a.json': JSON.stringify({ images: [], categories: [], annotations: [] }),
        'valid/a.json': '{"images": [}',
      }),
      'the file valid/a.json is no JSON',
    ],
    [
      'names that are long by a folder',
      zipOf({
        'a.json': '{"images": [], "categories": [], "annotations": []}',
        [`${'a'.repeat(60_000)}/b.json`]: JSON.stringify({
          images: Array.from({ length: 3_400 }, (_, id) => ({ id, file_name: 'a.jpg' })),
        }),
      }),
      // The message is cut in the name.
      `the file ${'a'.repeat(400)}`,
    ],
    [
      'very many files',
      zipOf(Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`${at}.json`, '{}']))),
      'has 21 JSON files, and 20 are the most',
    ],
    ['no names', zipOf({ 'labels/a.txt': label, 'data.yaml': 'nc: 1' }), 'names no classes'],
    [
      'too many names',
      zipOf({ 'labels/a.txt': label, 'classes.txt': 'a\n'.repeat(10_001) }),
      'has more than 10000 classes',
    ],
    [
      'too many names in data.yaml',
      zipOf({ 'labels/a.txt': label, 'data.yaml': `names: [${'a,'.repeat(10_001)}]` }),
      'has more than 10000 classes',
    ],
    [
      'a data.yaml that is too long',
      zipOf({ 'labels/a.txt': label, 'data.yaml': `# ${randomBytes(2 ** 20).toString('hex')}` }),
      'the file data.yaml has more than 2097152 bytes',
    ],
    [
      'a data.yaml that is not read',
      zipOf({ 'labels/a.txt': label, 'data.yaml': 'names: [[a]]' }),
      'the file data.yaml ',
    ],
    ['no JSON', Buffer.from('{"images": [}'), 'is no JSON'],
    ['JSON that ends', Buffer.from('{"images": ['), 'ends in the middle'],
    ['an empty text', Buffer.from(' '), 'ends in the middle'],
  ])('%s', async (_, file, message) => {
    const job = await load(await project(), file);
    expect(job).toMatchObject({ state: 'FAILED', changedImagesCount: 0 });
    expect(job.problems[0].message).toContain(message);
  });
});

test('what macOS puts into archives beside each file is passed over', async () => {
  const archive = zipOf({
    'VOC/Annotations/a.xml': xml(vocBox),
    'VOC/Annotations/._a.xml': '\0\x05\x16\x07',
    '__MACOSX/VOC/Annotations/._a.xml': '\0\x05\x16\x07',
    '__MACOSX/._VOC': '\0\x05\x16\x07',
  });
  expect(await load(await project(), archive)).toMatchObject({
    state: 'SUCCEEDED',
    format: 'PASCAL_VOC',
    annotationsCount: 1,
  });
});

describe('what exports write comes in again', () => {
  let id: string;
  const shapes = [
    {
      image_id: 1,
      category_id: 1,
      bbox: [10, 20, 30, 40],
      attributes: {
        occluded: true,
        n: 3,
        colour: 'red',
        code: '12',
        said: 'true',
        no: 'False',
        big: '1e+21',
      },
    },
    { image_id: 1, category_id: 2, bbox: [0.5, 0.25, 10.5, 10] },
    {
      image_id: 1,
      category_id: 1,
      segmentation: [
        [20, 20, 30, 20, 30, 30],
        [50, 50, 60, 50, 60, 60],
      ],
    },
    {
      image_id: 2,
      category_id: 1,
      segmentation: { size: [80, 100], counts: compressRuns([0, 10, 70, 10, 7910]) },
    },
    {
      image_id: 2,
      category_id: 2,
      iscrowd: 1,
      segmentation: { size: [80, 100], counts: [100, 5, 7895] },
    },
    {
      image_id: 3,
      category_id: 3,
      bbox: [5, 5, 50, 60],
      keypoints: [10, 10, 2, 0, 0, 0, 20, 30, 1],
    },
    { image_id: 3, category_id: 3, keypoints: [1, 2, 2, 30, 40, 2, 50, 60, 1] },
    { image_id: 3, category_id: 1, shape: 'POLYLINE', polyline: [[1, 1, 50, 50, 70, 10]] },
    // Its box is as good as none.
    { image_id: 3, category_id: 1, shape: 'POLYLINE', polyline: [[30, 1, 30.000001, 60]] },
    { image_id: 3, category_id: 1, shape: 'CLASSIFICATION' },
  ].map((one, at) => ({ id: at, ...one }));
  beforeAll(async () => {
    id = await project('all shapes');
    await importCoco(
      app,
      id,
      JSON.stringify({
        categories: ['bolt', "it's: #1", 'person'].map((name, at) => ({ id: at + 1, name })),
        images: ['a.jpg', 'b.jpg', 'train/c.jpg', 'val/c.jpg'].map((file_name, at) => ({
          id: at + 1,
          file_name,
        })),
        annotations: shapes,
      }),
    );
  });
  /** Exports in a format, imports that into a new project, and exports it again. */
  const roundTrip = async (
    format: string,
  ): Promise<[Record<string, string>, Record<string, string>, any]> => {
    const { bytes } = await app.download(
      `/api/Projects/export?projectId=${id}&dataFilter=All&format=${format}`,
    );
    const copy = await project('copy');
    const job = await load(copy, bytes);
    expect(job).toMatchObject({ state: 'SUCCEEDED', problemsCount: 0, unmatchedCount: 0 });
    const [first, again] = [await exported(id, format), await exported(copy, format)];
    return [first, again, await annotationsOf(copy)];
  };
  const only = (texts: Record<string, string>, pattern: RegExp): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).filter(([name]) => pattern.test(name)));

  test('COCO: everything', async () => {
    await roundTrip('Coco');
    const [, , copy] = await roundTrip('Coco');
    expect(copy).toEqual(await annotationsOf(id));
  });

  test('COCO: images that nobody has annotated stay so, unless the file has annotations of them', async () => {
    const from = await project();
    await load(from, JSON.stringify({ ...JSON.parse(simple(box)), images: [{ id: 1, file_name: 'a.jpg' }, { id: 2, file_name: 'b.jpg' }] })); // prettier-ignore
    const states = async (projectId: string): Promise<any> =>
      (
        await app.gql(
          'query ($uuid: UUID!) { project(uuid: $uuid) { progress { none annotated } } }',
          { uuid: projectId },
          app.tokens.owner,
        )
      ).data.project.progress;
    const file = await coco(from);
    const copy = await project();
    expect(await load(copy, JSON.stringify(file))).toMatchObject({ imagesCount: 2 });
    expect([await states(from), await states(copy)]).toEqual(
      Array(2).fill({ none: 2, annotated: 2 }),
    );
    const { id: image_id } = file.images.find(({ path }: any) => path === 'train/c.jpg');
    file.annotations.push({ ...box, id: 99, image_id });
    expect(await load(copy, JSON.stringify(file))).toMatchObject({ imagesCount: 3 });
    expect(await states(copy)).toEqual({ none: 1, annotated: 3 });
  });

  test.each(['Yolo', 'YoloSegment', 'YoloPose'])('%s: the same labels', async (format) => {
    const [first, again] = await roundTrip(format);
    expect(only(again, /^labels\//)).toEqual(only(first, /^labels\//));
    expect(again['data.yaml']).toEqual(first['data.yaml']);
  });

  test('YoloSegment: the outline of a mask of many runs', async () => {
    const [width, height] = [200, 201];
    const own = await app.dataset(workspace, 'board');
    await app.image(own, await jpeg(width, height), 'board.jpg');
    const from = await app.project(workspace, own);
    // A chessboard: no run is longer than one pixel.
    const counts = Array<number>(width * height).fill(1);
    const mask = { ...box, segmentation: { size: [height, width], counts } };
    await load(from, simple(mask).replace('a.jpg', 'board.jpg'));
    const { bytes } = await app.download(
      `/api/Projects/export?projectId=${from}&dataFilter=All&format=YoloSegment`,
    );
    const job = await load(await app.project(workspace, own), bytes);
    expect([job.state, job.annotationsCount, job.problems]).toEqual(['SUCCEEDED', 1, []]);
  });

  test('Pascal VOC: the same documents, and attributes of the same types', async () => {
    const [first, again, copy] = await roundTrip('PascalVoc');
    expect(copy['a.jpg'][0].attributes).toEqual(shapes[0]?.attributes);
    // That a crowd is difficult is all that the format says of it: it comes in as an attribute.
    const difficult =
      /    <attributes>\n.*<name>difficult<\/name><value>true<.*\n    <\/attributes>\n/g;
    const documents = Object.entries(only(again, /^Annotations\//));
    expect(
      Object.fromEntries(documents.map(([name, text]) => [name, text.replace(difficult, '')])),
    ).toEqual(only(first, /^Annotations\//));
  });

  test('Label Studio: all that has a region, in any order', async () => {
    const [, , copy] = await roundTrip('LabelStudio');
    const whole = await annotationsOf(id);
    const sorted = (list: any[] = []): string[] => list.map((one) => JSON.stringify(one)).sort();
    expect(sorted(copy['a.jpg'])).toEqual(sorted(whole['a.jpg']));
    const without = (list: any[] = []) => list.filter(({ shape }) => shape !== 'POLYLINE');
    expect(sorted(copy['train/c.jpg'])).toEqual(sorted(without(whole['train/c.jpg'])));
    const masks = (list: any[] = []) =>
      list.map(({ area, bbox, iscrowd, class: name }) => ({ area, bbox, iscrowd, name }));
    expect(masks(copy['b.jpg'])).toEqual(masks(whole['b.jpg']));
    expect(copy['val/c.jpg']).toEqual([]);
  });
});

test('COCO of an image whose name ends in .xml comes in again; .xml anywhere is Pascal VOC when told', async () => {
  const own = await app.dataset(workspace, 'xml');
  await app.data(
    app.upload({ DatasetId: own, FileName: 'photo.xml', Image: await jpeg(WIDTH, HEIGHT) }),
  );
  const id = await app.project(workspace, own, 'xml');
  const file = { ...JSON.parse(simple(box)), images: [{ id: 1, file_name: 'photo.xml' }] };
  expect(await load(id, JSON.stringify(file))).toMatchObject({ state: 'SUCCEEDED' });
  const { bytes } = await app.download(
    `/api/Projects/export?projectId=${id}&dataFilter=All&format=Coco`,
  );
  expect(await load(id, bytes)).toMatchObject({
    state: 'SUCCEEDED',
    format: 'COCO',
    annotationsCount: 1,
    changedImagesCount: 0,
  });
  const voc = zipOf({ 'labels/a.xml': xml(vocBox) });
  expect(await load(await project(), voc)).toMatchObject({ state: 'FAILED' });
  expect(await load(await project(), voc, { Format: 'PascalVoc' })).toMatchObject({
    state: 'SUCCEEDED',
    annotationsCount: 1,
  });
});

describe('what a file says ends in the report, whatever it is', () => {
  const task = (label: string, image = 'a.jpg') =>
    JSON.stringify([
      {
        data: { image },
        annotations: [{ result: [{ type: 'choices', value: { choices: [label] } }] }],
      },
    ]);

  test('a label that the database can not hold, and half a character where a text is cut', async () => {
    const id = await project();
    expect(await load(id, task('a\0b'))).toMatchObject({
      state: 'FAILED',
      newClassNames: ['a\uFFFDb'],
      problems: [{ message: 'holds characters that can not be stored' }],
    });
    for (const length of [499, 1999]) {
      const name = `${'x'.repeat(length)}\u{1F600}.jpg`;
      expect(await load(id, task('a', name))).toMatchObject({ state: 'FAILED', unmatchedCount: 1 });
    }
  });

  test('too many annotations of an image, which are not read for that', async () => {
    const many = simple(...Array.from({ length: 2001 }, () => box));
    const labels = zipOf({ 'a.txt': '0 0.5 0.5 0.1 0.1\n'.repeat(2001), 'classes.txt': 'bolt' });
    for (const file of [many, labels])
      expect(await load(await project(), file)).toMatchObject({
        state: 'FAILED',
        problems: [{ message: 'has 2001 annotations, more than 2000' }],
      });
  });

  test('names of COCO images of more characters than a name has', async () => {
    const id = await project();
    const file = (image: object): string =>
      JSON.stringify({
        ...JSON.parse(simple()),
        images: [{ id: 1, file_name: 'a.jpg', ...image }],
      });
    for (const name of ['file_name', 'path', 'uuid']) {
      const { problems, state } = await load(id, file({ [name]: `a/${'a/'.repeat(2048)}a.jpg` }));
      expect([state, problems]).toEqual([
        'FAILED',
        [expect.objectContaining({ message: expect.stringContaining(`${name}: Too big`) })],
      ]);
    }
    const longest = await load(id, file({ file_name: `a/${'a'.repeat(4088)}/a.jpg` }));
    expect(longest.state).toBe('SUCCEEDED');
  });

  test('annotations that would take gigabytes of memory', async () => {
    const empty = simple({ ...box, attributes: Array.from({ length: 1_000_001 }, () => ({})) });
    const tasks = JSON.stringify([{ data: { image: 'a.jpg' }, meta: JSON.parse(empty) }]);
    for (const file of [empty, tasks])
      expect(await load(await project(), file)).toMatchObject({
        state: 'FAILED',
        problems: [{ message: 'the file has a value of more than 1000000 lists and objects' }],
      });
    const long = { ...box, attributes: { note: 'x'.repeat(12 * 1024 * 1024) } };
    expect(await load(await project(), simple(long, long, long))).toMatchObject({
      state: 'FAILED',
      problems: [
        {
          message: expect.stringMatching(
            /^its annotations have 3774\d{4} bytes, and 33554432 are the most$/,
          ),
        },
      ],
    });
    const counts = [...Array.from({ length: 2 * WIDTH * HEIGHT }, () => 0), WIDTH * HEIGHT];
    const mask = (runs: unknown) => ({
      ...box,
      segmentation: { size: [HEIGHT, WIDTH], counts: runs },
    });
    expect(await load(await project(), simple(mask(counts)))).toMatchObject({ state: 'SUCCEEDED' });
    for (const runs of [
      [0, 0, ...counts],
      '0'.repeat(1_000_000) + compressRuns([0, WIDTH * HEIGHT]),
    ])
      expect(await load(await project(), simple(mask(runs)))).toMatchObject({
        state: 'FAILED',
        problems: [{ message: expect.stringContaining('run lengths') }],
      });
  }, 60_000);
});
