import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drivers, failure, startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { jpeg } from '../../support/images.ts';
import { subscribeSse, subscribeWs, wsClient, type Stream } from '../../support/streams.ts';

/** What stands at the end of every archive. */
const last = ['project.json', 'manifest.json', 'manifest.sig'];

describe.each(drivers)('export on %s', (driver) => {
  let app: DatasetApp;
  let folder: string;
  let workspace: string;
  let project: string;
  let dataset: string;
  const images: string[] = [];
  const ids: Record<string, string> = {};

  const gql = async (query: string, input: object): Promise<any> =>
    (await app.gql(query, { input }, app.tokens.owner)).data;
  beforeAll(async () => {
    app = await startDatasetApp(driver);
    folder = mkdtempSync(join(tmpdir(), 'trivium-export-'));
    workspace = await app.workspace();
    dataset = await app.dataset(workspace);
    project = await app.project(workspace, dataset, 'Bolts & Nuts');
    for (let n = 0; n < 4; n++) {
      app.setTime(Date.UTC(2026, 10, 20, 12, 0, n));
      images.push(
        await app.image(dataset, await jpeg(100 + n, 80), n === 3 ? '../evil/"3".jpg' : `${n}.jpg`),
      );
    }
    const found = await app.gql(
      'query ($p: UUID!, $a: UUID!, $b: UUID!, $c: UUID!) { project(uuid: $p) { id } a: image(uuid: $a) { id } b: image(uuid: $b) { id } c: image(uuid: $c) { id } }',
      { p: project, a: images[0], b: images[1], c: images[2] },
      app.tokens.owner,
    );
    Object.assign(ids, {
      project: found.data.project.id,
      a: found.data.a.id,
      b: found.data.b.id,
      c: found.data.c.id,
    });
    await gql(
      'mutation ($input: AddAnnotationClassesInput!) { addAnnotationClasses(input: $input) { __typename } }',
      { projectId: ids.project, classes: [{ name: 'bolt', color: '#FF0000' }, { name: 'nut' }] },
    );
    const annotate =
      'mutation ($input: AnnotateImageInput!) { annotateImage(input: $input) { __typename ... on AnnotateImagePayload { image { hasAnnotations } } ... on ValidationError { problems { path code } } } }';
    const annotations = [
      { className: 'bolt', shape: 'BBOX', geometry: [10, 20, 30, 40] },
      { className: 'nut', shape: 'POLYGON', geometry: [[0, 0, 10, 0, 10, 10, 0, 10]] },
    ];
    expect(
      (await gql(annotate, { projectId: ids.project, imageId: ids.a, annotations })).annotateImage,
    ).toEqual({ __typename: 'AnnotateImagePayload', image: { hasAnnotations: true } });
    expect(
      (await gql(annotate, { projectId: ids.project, imageId: ids.b, annotations: [] }))
        .annotateImage,
    ).toEqual({ __typename: 'AnnotateImagePayload', image: { hasAnnotations: false } });
    expect(
      (
        await gql(annotate, {
          projectId: ids.project,
          imageId: ids.c,
          annotations: [
            { className: 'screw', shape: 'BBOX', geometry: [0, 0, 900, 1] },
            { className: 'bolt', shape: 'POLYGON', geometry: 7 },
          ],
        })
      ).annotateImage,
    ).toEqual({
      __typename: 'ValidationError',
      problems: [
        { path: ['input', 'annotations', '0', 'geometry'], code: 'VALIDATION_ERROR' },
        { path: ['input', 'annotations', '1', 'geometry'], code: 'VALIDATION_ERROR' },
        { path: ['input', 'annotations', '0', 'className'], code: 'VALIDATION_ERROR' },
      ],
    });
    await gql(
      'mutation ($input: ReviewImageInput!) { reviewImage(input: $input) { __typename } }',
      { projectId: ids.project, imageId: ids.a, state: 'ACCEPTED' },
    );
  });
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });

  const exported = async (
    filter: string,
    name: string,
  ): Promise<{ files: string[]; read: (path: string) => Buffer; json: (path: string) => any }> => {
    const { status, headers, bytes } = await app.download(
      `/api/Projects/export?projectId=${project}&dataFilter=${filter}`,
    );
    expect([status, headers.get('content-type')]).toEqual([200, 'application/zip']);
    return unpack(bytes, name);
  };
  const unpack = (bytes: Buffer, name: string) => {
    const zip = join(folder, `${name}.zip`);
    writeFileSync(zip, bytes);
    execFileSync('unzip', ['-q', zip, '-d', join(folder, name)]);
    execFileSync('python3', [
      '-c',
      'import sys,zipfile; assert zipfile.ZipFile(sys.argv[1]).testzip() is None',
      zip,
    ]);
    const files = readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, name).length + 1))
      .sort();
    const read = (path: string): Buffer => readFileSync(join(folder, name, path));
    return { files, read, json: (path: string) => JSON.parse(read(path).toString()) };
  };
  const imageFiles = (files: string[]): string[] =>
    files.filter((path) => path.startsWith('images/'));

  test('F222 F223 F227 D-64 All: every image, its annotations, COCO, and project.json with the SHA-256 of each', async () => {
    const { files, read, json } = await exported('All', 'all');
    expect(imageFiles(files).sort()).toEqual(
      images.map((id, n) => `images/${dataset}/${id}-${n === 3 ? '_3_.jpg' : `${n}.jpg`}`).sort(),
    );
    const description = json('project.json');
    expect(description).toMatchObject({
      formatVersion: '1.0',
      filter: 'All',
      project: { id: project, name: 'Bolts & Nuts', status: 'Draft' },
      encryption: null,
      counts: { images: 4, annotations: 2 },
      classes: [
        { name: 'bolt', color: '#ff0000', position: 1 },
        { name: 'nut', position: 2 },
      ],
      datasets: [{ id: dataset, status: 'Draft' }],
    });
    expect(description.files.map(({ path }: { path: string }) => path).sort()).toEqual(
      files.filter((path) => !last.includes(path)),
    );
    for (const { path, size, sha256 } of description.files)
      expect([size, sha256]).toEqual([
        read(path).length,
        createHash('sha256').update(read(path)).digest('hex'),
      ]);
    const coco = json('coco/annotations.json');
    expect(coco.categories.map(({ id, name }: { id: number; name: string }) => [id, name])).toEqual(
      [
        [1, 'bolt'],
        [2, 'nut'],
      ],
    );
    expect(
      coco.images.map(({ id, file_name, width, height }: Record<string, unknown>) => [
        id,
        files.includes(String(file_name)),
        width,
        height,
      ]),
    ).toEqual([
      [1, true, 100, 80],
      [2, true, 101, 80],
      [3, true, 102, 80],
      [4, true, 103, 80],
    ]);
    expect(coco.annotations).toEqual([
      {
        id: 1,
        image_id: 1,
        category_id: 1,
        bbox: [10, 20, 30, 40],
        area: 1200,
        segmentation: [],
        iscrowd: 0,
      },
      {
        id: 2,
        image_id: 1,
        category_id: 2,
        bbox: [0, 0, 10, 10],
        area: 100,
        segmentation: [[0, 0, 10, 0, 10, 10, 0, 10]],
        iscrowd: 0,
      },
    ]);
    expect(json(`annotations/${images[0]}.json`)).toMatchObject({
      imageId: images[0],
      review: 'ACCEPTED',
      annotations: expect.arrayContaining([
        expect.objectContaining({ class: 'bolt', shape: 'BBOX', geometry: [10, 20, 30, 40] }),
      ]),
    });
    expect(json(`annotations/${images[1]}.json`)).toMatchObject({
      review: 'ANNOTATED',
      annotations: [],
    });
  });

  test('F224 Accepted: only accepted images', async () => {
    expect(imageFiles((await exported('accepted', 'accepted')).files)).toEqual([
      `images/${dataset}/${images[0]}-0.jpg`,
    ]);
  });

  test('F225 Annotated: also those on which there is nothing', async () => {
    expect(imageFiles((await exported('ANNOTATED', 'annotated')).files).length).toBe(2);
  });

  test('F226 ConfigOnly: project.json alone, and its signature', async () => {
    const { files, json } = await exported('ConfigOnly', 'config');
    expect(files).toEqual([...last].sort());
    expect(json('project.json')).toMatchObject({
      filter: 'ConfigOnly',
      files: [],
      counts: { images: 0 },
    });
  });

  test('F222 refuses other filters, unknown and foreign projects, and annotators', async () => {
    const path = (id: string, filter: string): string =>
      `/api/Projects/export?projectId=${id}&dataFilter=${filter}`;
    for (const filter of ['', 'Some', 'All,Accepted'])
      expect(await app.get(path(project, filter))).toMatchObject(
        failure(400, 'INVALID_DATA_FILTER'),
      );
    expect(await app.get(path(dataset, 'All'))).toMatchObject(failure(400, 'PROJECT_NOT_FOUND'));
    expect(await app.get(path(project, 'All'), app.tokens.stranger)).toMatchObject(
      failure(400, 'PROJECT_NOT_FOUND'),
    );
    await app.member(workspace, 'other', 'ANNOTATOR');
    // Nothing is assigned to them.
    const nothing = await app.get(path(project, 'All'), app.tokens.other);
    expect(nothing.status).toBe(200);
    expect(nothing.text).not.toContain('images/');
    await app.services.db.rows(
      `DELETE FROM workspace_member WHERE workspace_id = $1 AND role = 'ANNOTATOR'`,
      [workspace],
    );
  });

  test('F222 an export takes as long as it takes, whatever the time limit of requests', async () => {
    const { config, storage } = app.services;
    const { requestTimeoutMs } = config;
    const readInto = storage.readInto.bind(storage);
    try {
      config.requestTimeoutMs = 3_000;
      storage.readInto = async (key, target, position) => (
        await sleep(3_500),
        readInto(key, target, position)
      );
      expect((await exported('Accepted', 'slow')).files.length).toBe(6);
    } finally {
      config.requestTimeoutMs = requestTimeoutMs;
      storage.readInto = readInto;
    }
  }, 30_000);

  test('F222 an archive whose image has changed in the storage is never finished', async () => {
    const [row] = await app.services.db.rows(
      'SELECT b.id, b.crc32 FROM image i JOIN blob b ON b.id = i.blob_id WHERE i.id = $1',
      [images[1] ?? ''],
    );
    await app.services.db.rows('UPDATE blob SET crc32 = 1 WHERE id = $1', [row?.[0] ?? '']);
    // Nothing of so small an archive has been sent when it fails.
    const refused = await app.download(`/api/Projects/export?projectId=${project}&dataFilter=All`);
    expect(refused.status).toBe(500);
    await app.services.db.rows('UPDATE blob SET crc32 = $2 WHERE id = $1', [
      row?.[0] ?? '',
      Number(row?.[1]),
    ]);
  });

  test('F222 F227 exportProject runs in the background; its archive can be resumed; only its owner gets it', async () => {
    const start =
      'mutation ($input: ExportProjectInput!) { exportProject(input: $input) { ... on ExportProjectPayload { job { id state } } ... on UserError { code } } }';
    for (const [format, label] of [
      ['YOLO', /^1 0\.05\d* .*\n|^0 0\.25/],
      ['PASCAL_VOC', /<xmin>11<\/xmin><ymin>21<\/ymin><xmax>40<\/xmax><ymax>60<\/ymax>/],
    ] as const) {
      const { job } = (await gql(start, { projectId: ids.project, filter: 'ANNOTATED', format }))
        .exportProject;
      const poll = async (token = app.tokens.owner) =>
        (
          await app.gql(
            'query ($id: ID!) { node(id: $id) { ... on ExportJob { state progress downloadUrl byteSize expiresAt filter format } } }',
            { id: job.id },
            token,
          )
        ).data.node;
      await expect.poll(async () => (await poll()).state, { timeout: 10_000 }).toBe('SUCCEEDED');
      const done = await poll();
      expect(done).toMatchObject({
        progress: 1,
        filter: 'ANNOTATED',
        format,
        downloadUrl: `${app.url}/exports/${Buffer.from(job.id, 'base64').toString().replace('ExportJob:', '')}`,
        expiresAt: '2026-11-27T12:00:03.000Z',
      });
      expect(await poll(app.tokens.other)).toBeNull();
      const path = done.downloadUrl.slice(app.url.length);
      const whole = await app.download(path);
      expect(whole.bytes.length).toBe(done.byteSize);
      const rest = await app.download(path, {
        range: 'bytes=100-',
        'if-range': whole.headers.get('etag') ?? '',
      });
      expect([rest.status, rest.bytes.equals(whole.bytes.subarray(100))]).toEqual([206, true]);
      const { files, read } = unpack(whole.bytes, format);
      expect(
        read(
          files.find(
            (path) => path.includes(images[0] ?? '') && /^(labels|Annotations)\//.test(path),
          ) ?? '',
        ).toString(),
      ).toMatch(label);
      expect(await app.get(path, app.tokens.other)).toMatchObject({
        status: 400,
        json: { isSuccess: false },
      });
    }
  });

  test('F222 a file that the storage has lost is named in the archive, in the job and in the log; the export goes on', async () => {
    const { storage, log, db } = app.services;
    const [row] = await db.rows(
      'SELECT b.storage_key FROM image i JOIN blob b ON b.id = i.blob_id WHERE i.id = $1',
      [images[0] ?? ''],
    );
    const key = row?.[0] ?? '';
    const logged: unknown[] = [];
    const error = log.error.bind(log);
    const stat = storage.stat.bind(storage);
    try {
      storage.stat = (asked) => (asked === key ? Promise.resolve(undefined) : stat(asked));
      log.error = (facts: unknown) => void logged.push(facts);
      const { files, read, json } = await exported('All', 'lost');
      const path = `images/${dataset}/${images[0]}-0.jpg`;
      expect(read('missing.txt').toString()).toBe(`${path}\n`);
      expect(imageFiles(files)).toHaveLength(3);
      expect(files).not.toContain(path);
      // What is known of the image stays, and nothing is announced that is not there.
      expect(files).toContain(`annotations/${images[0]}.json`);
      expect(json('coco/annotations.json').images).toHaveLength(4);
      const description = json('project.json');
      expect(description.counts).toMatchObject({ images: 4, missing: 1 });
      expect(description.files.map((file: { path: string }) => file.path).sort()).toEqual(
        files.filter((name) => !last.includes(name)),
      );
      expect(logged).toEqual([
        { project, images: [{ id: images[0], storageKey: key }], requestId: expect.any(String) },
      ]);
      const { exportProject } = await gql(
        'mutation ($input: ExportProjectInput!) { exportProject(input: $input) { ... on ExportProjectPayload { job { id missingImages } } } }',
        { projectId: ids.project, filter: 'ACCEPTED' },
      );
      expect(exportProject.job.missingImages).toBe(0);
      const poll = async () =>
        (
          await app.gql(
            'query ($id: ID!) { node(id: $id) { ... on ExportJob { state missingImages downloadUrl } } }',
            { id: exportProject.job.id },
            app.tokens.owner,
          )
        ).data.node;
      await expect.poll(async () => (await poll()).state, { timeout: 60_000 }).toBe('SUCCEEDED');
      const done = await poll();
      expect(done.missingImages).toBe(1);
      const { headers } = await app.download(done.downloadUrl.slice(app.url.length));
      expect(headers.get('x-missing-images')).toBe('1');
    } finally {
      Object.assign(storage, { stat });
      Object.assign(log, { error });
    }
  });

  describe.each(['SSE', 'WebSocket'] as const)('F222 exportJobChanged over %s', (kind) => {
    const query =
      'subscription ($id: ID!) { exportJobChanged(jobId: $id) { id state progress downloadUrl } }';
    const follow = async (id: string, token = app.tokens.owner): Promise<Stream> => {
      if (kind === 'SSE') return subscribeSse(app, token, query, { id });
      const client = wsClient(app, { 'X-service-csrf-token-X': token });
      const stream = subscribeWs(client, query, { id });
      void stream.closed.then(() => client.dispose());
      return stream;
    };
    const start = async (): Promise<string> =>
      (
        await gql(
          'mutation ($input: ExportProjectInput!) { exportProject(input: $input) { ... on ExportProjectPayload { job { id } } } }',
          { projectId: ids.project, filter: 'ALL' },
        )
      ).exportProject.job.id;

    test('tells of the job at once, of its progress, and ends with it', async () => {
      // The same export of the same content would be the job that is there already.
      await gql(
        'mutation ($input: AddAnnotationClassesInput!) { addAnnotationClasses(input: $input) { __typename } }',
        {
          projectId: ids.project,
          classes: [{ name: 'nut', color: kind === 'SSE' ? '#000001' : '#000002' }],
        },
      );
      // The job waits behind another one, so that it can be seen on its way.
      let go = (): void => undefined;
      app.services.background(() => new Promise<void>((resolve) => (go = resolve)));
      const id = await start();
      const stream = await follow(id);
      await stream.until((results) => results.length > 0);
      expect(stream.results[0].data.exportJobChanged).toEqual({
        id,
        state: 'QUEUED',
        progress: 0,
        downloadUrl: null,
      });
      const key = Buffer.from(id, 'base64').toString().replace('ExportJob:', '');
      await app.services.db.rows(
        `UPDATE export_job SET progress = 0.5, state = 'RUNNING', alive_at = NULL WHERE id = $1`,
        [key],
      );
      await stream.until((results) =>
        results.some(({ data }) => data?.exportJobChanged.progress === 0.5),
      );
      go();
      await stream.until((results) => results.at(-1) === 'complete', 15_000);
      expect(stream.results.at(-2).data.exportJobChanged).toEqual({
        id,
        state: 'SUCCEEDED',
        progress: 1,
        downloadUrl: `${app.url}/exports/${key}`,
      });
      expect(app.services.changes.open).toBe(0);
      const late = await follow(id);
      await late.until((results) => results.at(-1) === 'complete');
      expect(late.results.map((result) => result.data?.exportJobChanged.state)).toEqual([
        'SUCCEEDED',
        undefined,
      ]);
    });

    test('knows no job of somebody else, and none that does not exist', async () => {
      const codeOf = async (stream: Stream): Promise<unknown> => {
        const closed = await Promise.race([
          stream.closed,
          stream.until((results) => results.length > 0).then(() => undefined),
        ]);
        const errors = Array.isArray(closed) ? closed : stream.results[0]?.errors;
        return errors?.[0]?.extensions?.code;
      };
      const id = await start();
      for (const token of [app.tokens.other, app.tokens.stranger])
        expect(await codeOf(await follow(id, token))).toBe('NOT_FOUND');
      expect(
        await codeOf(
          await follow(
            Buffer.from('ExportJob:3f2504e0-4f89-41d3-9a0c-0305e82c3301').toString('base64'),
          ),
        ),
      ).toBe('NOT_FOUND');
      expect(await codeOf(await follow('x'))).toBe('NOT_FOUND');
    });
  });

  test('F222 encrypted workspaces export ciphertext, named .enc', async () => {
    const workspace = await app.workspace();
    const own = await app.dataset(workspace);
    const id = await app.project(workspace, own);
    await app.data(
      app.post('/api/Workspaces/enableEncryption', {
        workspaceId: workspace,
        checksum: 'x'.repeat(44),
      }),
    );
    await app.data(
      app.upload({
        DatasetId: own,
        FileName: 'a.jpg',
        Image: randomBytes(64),
        Thumbnail: randomBytes(64),
        Width: '3',
        Height: '2',
      }),
    );
    const { files, json } = unpack(
      (await app.download(`/api/Projects/export?projectId=${id}&dataFilter=All`)).bytes,
      'encrypted',
    );
    expect(imageFiles(files)[0]).toMatch(/-a\.jpg\.enc$/);
    expect(json('project.json').encryption).toEqual({
      algorithm: 'AES-256-CBC',
      initialisationVector: 'first 16 bytes of each image',
    });
  });
});
