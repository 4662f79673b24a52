import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { endVersion } from '../../../src/dataset-management/versions/freeze/finish-version.ts';
import { releaseVersions } from '../../../src/dataset-management/versions/freeze/run-next-version.ts';
import { collectVersions } from '../../../src/dataset-management/versions/freeze/collect-versions.ts';
import {
  claimVersion,
  collectChunks,
  collectItems,
  freeVersion,
  oldestUnseen,
} from '../../../src/dataset-management/versions/freeze/versions.sql.ts';
import { sweep } from '../../../src/dataset-management/sweep/sweep.ts';
import { sweepStorage } from '../../../src/dataset-management/sweep/sweep-storage.ts';
import { checkStorage } from '../../../src/dataset-management/images/blobs/check-storage.ts';
import { linesOf } from '../../../src/dataset-management/versions/read-manifest.ts';
import { NOON } from '../../support/app.ts';
import { failure, startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { jpeg } from '../../support/images.ts';
import { untilSomebodyWaits } from '../../support/until-somebody-waits.ts';

const DAY = 24 * 3600 * 1000;
let app: DatasetApp;
let workspace: string;
beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  workspace = await app.workspace();
  await app.member(workspace, 'other', 'ANNOTATOR');
});
afterAll(() => app.close());

const gql = async (query: string, variables: object, token = app.tokens.owner): Promise<any> => {
  const { data, errors } = await app.gql(query, variables, token);
  expect(errors, JSON.stringify(errors)).toBeUndefined();
  return data;
};
const VERSION =
  'id uuid number name notes state digest manifestUrl imagesCount annotationsCount createdAt frozenAt creator { login }';
const globalId = async (type: 'dataset' | 'project' | 'image', uuid: string): Promise<string> =>
  (await gql(`query ($u: UUID!) { ${type}(uuid: $u) { id } }`, { u: uuid }))[type].id;
const create = async (dataset: string, more: object = {}, token = app.tokens.owner): Promise<any> =>
  (
    await gql(
      `mutation ($i: CreateDatasetVersionInput!) { createDatasetVersion(input: $i) { __typename ... on CreateDatasetVersionPayload { version { ${VERSION} } replayed } ... on UserError { message } } }`,
      { i: { datasetId: await globalId('dataset', dataset), ...more } },
      token,
    )
  ).createDatasetVersion;
/** A new version that is ready, however long that takes. */
const freeze = async (dataset: string, more: object = {}): Promise<any> => {
  const made = await create(dataset, more);
  expect(made, JSON.stringify(made)).toHaveProperty('version');
  const read = async (): Promise<any> =>
    (
      await gql(`query ($id: ID!) { node(id: $id) { ... on DatasetVersion { ${VERSION} } } }`, {
        id: made.version.id,
      })
    ).node;
  await expect.poll(async () => (await read()).state, { timeout: 30_000 }).toBe('READY');
  return read();
};
const annotate = async (project: string, image: string, annotations: object[]): Promise<void> => {
  const done = await gql(
    'mutation ($i: AnnotateImageInput!) { annotateImage(input: $i) { __typename } }',
    {
      i: {
        projectId: await globalId('project', project),
        imageId: await globalId('image', image),
        annotations,
      },
    },
  );
  expect(done.annotateImage.__typename).toBe('AnnotateImagePayload');
};
const box = (x: number, className = 'bolt') => ({
  className,
  shape: 'BBOX',
  geometry: [x, 1, 10.5, 10],
});
const addClasses = async (project: string, names: string[]): Promise<void> => {
  await gql(
    'mutation ($i: AddAnnotationClassesInput!) { addAnnotationClasses(input: $i) { __typename } }',
    {
      i: {
        projectId: await globalId('project', project),
        classes: names.map((name) => ({ name })),
      },
    },
  );
};
/** A dataset with images, and a project with annotations on the first two. */
let worlds = 0;
const world = async (name: string, count = 3) => {
  const dataset = await app.dataset(workspace, name);
  const project = await app.project(workspace, dataset, name);
  await addClasses(project, ['bolt', 'nut']);
  const images: string[] = [];
  for (let at = 0; at < count; at++) {
    app.setTime(NOON + at);
    images.push(await app.image(dataset, await jpeg(100 + at, 80 + worlds), `${at}.jpg`));
  }
  app.setTime(NOON);
  // Others have other bytes.
  worlds++;
  await annotate(project, images[0] ?? '', [box(1), box(2, 'nut')]);
  await annotate(project, images[1] ?? '', [{ ...box(3), attributes: { rusty: true } }]);
  return { dataset, project, images };
};
const countRows = async (): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const table of ['dataset_version', 'version_tree', 'frozen_chunk', 'frozen_item']) {
    const { rows } = await app.services.db.pool.query(`SELECT count(*)::int AS n FROM ${table}`);
    counts[table] = rows[0].n;
  }
  return counts;
};
const manifestOf = async (version: any): Promise<{ lines: string[]; digest: string }> => {
  const { status, text, headers } = await app.get(new URL(version.manifestUrl).pathname);
  expect(status).toBe(200);
  expect(headers.get('x-version-digest')).toBe(version.digest);
  const lines = text.trimEnd().split('\n');
  const hashes = lines.map((line) => `${line.slice(0, 64)}\n`).join('');
  return { lines, digest: createHash('sha256').update(hashes).digest('hex') };
};
const exportOf = async (project: string, query = ''): Promise<Buffer> => {
  const path = `/api/Projects/export?projectId=${project}&dataFilter=All${query}`;
  const { status, bytes } = await app.download(path);
  expect(status, bytes.toString().slice(0, 300)).toBe(200);
  return bytes;
};
/** An archive up to the header of project.json, which says what was exported. */
const contentOf = (zip: Buffer): string =>
  zip
    .subarray(0, zip.lastIndexOf('project.json', zip.indexOf('"formatVersion"')) - 30)
    .toString('latin1');

test('a version has a number, counts and a digest that its manifest explains', async () => {
  const { dataset, project, images } = await world('manifest');
  const version = await freeze(dataset, { name: ' First ', notes: 'Before the summer' });
  expect(version).toMatchObject({
    number: 1,
    name: 'First',
    notes: 'Before the summer',
    state: 'READY',
    imagesCount: 3,
    annotationsCount: 3,
    creator: { login: 'owner' },
  });
  const { lines, digest } = await manifestOf(version);
  expect(digest).toBe(version.digest);
  for (const line of lines)
    expect(createHash('sha256').update(line.slice(65)).digest('hex')).toBe(line.slice(0, 64));
  const items = lines.map((line) => JSON.parse(line.slice(65)));
  expect(items.map((item) => Object.keys(item).join())).toEqual([
    ...images.map(() => 'image'),
    'project',
    'work',
    'work',
  ]);
  expect(items.slice(0, 3).map(({ image }) => image.id)).toEqual(images);
  expect(items[3].project).toMatchObject({
    id: project,
    classes: [{ name: 'bolt' }, { name: 'nut' }],
  });
  expect(items[5].work).toMatchObject({
    imageId: images[1],
    projectId: project,
    state: 'ANNOTATED',
    annotations: [{ shape: 'BBOX', geometry: [3, 1, 10.5, 10], attributes: { rusty: true } }],
  });
  // RFC 8785: no blanks, members in the order of their names.
  expect(lines[0]?.slice(65)).toMatch(
    /^\{"image":\{"createdAt":"[^ ]+","height":80,"id":"[^ ]+","mimeType":"image\/jpeg","name":"0.jpg","path":null,"sha256":"\w{64}","width":100\}\}$/,
  );
});

test('what has not changed is not stored again; what has changed is, and nothing else', async () => {
  const { dataset, project, images } = await world('twice');
  const first = await freeze(dataset);
  const rows = await countRows();
  const second = await freeze(dataset);
  expect(second).toMatchObject({
    number: 2,
    digest: first.digest,
    imagesCount: 3,
    annotationsCount: 3,
  });
  expect(await countRows()).toEqual({
    ...rows,
    dataset_version: (rows['dataset_version'] ?? 0) + 1,
    version_tree: (rows['version_tree'] ?? 0) + 2,
  });
  await annotate(project, images[0] ?? '', [box(9)]);
  const third = await freeze(dataset);
  expect(third.digest).not.toBe(first.digest);
  expect(await countRows()).toMatchObject({
    frozen_chunk: (rows['frozen_chunk'] ?? 0) + 1,
    frozen_item: (rows['frozen_item'] ?? 0) + 1,
  });
});

test('an export of a version is what was frozen, whatever happened since, and its bytes are never swept', async () => {
  const { dataset, project, images } = await world('frozen');
  const before = contentOf(await exportOf(project));
  const version = await freeze(dataset);
  const byNumber = `&version=${dataset}:1`;
  expect(contentOf(await exportOf(project, byNumber))).toBe(before);
  await annotate(project, images[0] ?? '', []);
  await annotate(project, images[2] ?? '', [box(5)]);
  const projectId = await globalId('project', project);
  await gql(
    'mutation ($i: UpdateAnnotationClassInput!) { updateAnnotationClass(input: $i) { __typename } }',
    { i: { projectId, name: 'bolt', newName: 'screw' } },
  );
  await app.image(dataset, await jpeg(64, 64), 'new.jpg');
  await app.data(app.post('/api/Images/delete', { imageId: images[1] }));
  expect(contentOf(await exportOf(project))).not.toBe(before);
  expect(contentOf(await exportOf(project, byNumber))).toBe(before);
  const { job } = (
    await gql(
      'mutation ($i: ExportProjectInput!) { exportProject(input: $i) { ... on ExportProjectPayload { job { id version { number } } } } }',
      { i: { projectId, filter: 'ALL', version: version.id } },
    )
  ).exportProject;
  expect(job.version).toEqual({ number: 1 });
  const ended = async (): Promise<any> =>
    (
      await gql(
        'query ($id: ID!) { node(id: $id) { ... on ExportJob { state downloadUrl missingImages } } }',
        { id: job.id },
      )
    ).node;
  await expect.poll(async () => (await ended()).state, { timeout: 30_000 }).toBe('SUCCEEDED');
  const { downloadUrl } = await ended();
  expect(contentOf((await app.download(new URL(downloadUrl).pathname)).bytes)).toBe(before);
  const zip = (await exportOf(project, `&version=${version.uuid}`)).toString('latin1');
  expect(zip).toContain(`"digest": "${version.digest}"`);
  // The deleted image is gone for good after 30 days, but not its bytes.
  app.setTime(NOON + 40 * DAY);
  await collectVersions(app.services);
  await sweepStorage(app.services);
  expect(await app.services.db.prisma.image.count({ where: { id: images[1] ?? '' } })).toBe(0);
  app.setTime(NOON);
  expect(contentOf(await exportOf(project, byNumber))).toBe(before);
  expect(await checkStorage(app.services)).toMatchObject({ missing: [], orphans: [] });
  // Once the version is gone, too, they are.
  const { undoToken } = (
    await gql(
      'mutation ($i: DeleteDatasetVersionInput!) { deleteDatasetVersion(input: $i) { ... on DeletePayload { undoToken } } }',
      { i: { versionId: version.id } },
    )
  ).deleteDatasetVersion;
  expect(
    await app.get(`/api/Projects/export?projectId=${project}&dataFilter=All${byNumber}`),
  ).toMatchObject(failure(400, 'VALIDATION_ERROR'));
  await gql('mutation ($i: UndoDeleteInput!) { undoDelete(input: $i) { __typename } }', {
    i: { undoToken },
  });
  expect(contentOf(await exportOf(project, byNumber))).toBe(before);
  await gql(
    'mutation ($i: DeleteDatasetVersionInput!) { deleteDatasetVersion(input: $i) { __typename } }',
    { i: { versionId: version.id } },
  );
  const objects = (await app.objects()).length;
  app.setTime(NOON + 80 * DAY);
  expect(await collectVersions(app.services)).toBeGreaterThan(0);
  await sweepStorage(app.services);
  app.setTime(NOON);
  expect(await app.services.db.prisma.frozenItem.count({ where: { datasetId: dataset } })).toBe(0);
  expect((await app.objects()).length).toBeLessThan(objects);
  // Its number is not given again.
  expect(await freeze(dataset)).toMatchObject({ number: 2 });
});

test('two versions are compared: images and annotations that were added, removed and changed', async () => {
  const { dataset, project, images } = await world('compared', 4);
  await annotate(project, images[2] ?? '', [box(1), box(2)]);
  const first = await freeze(dataset);
  const projectId = await globalId('project', project);
  const imageId = await globalId('image', images[2] ?? '');
  const found = await gql(
    'query ($id: ID!) { node(id: $id) { ... on DatasetImage { annotations { nodes { id } } } } }',
    { id: imageId },
  );
  const [a, b] = found.node.annotations.nodes;
  await gql(
    'mutation ($i: ChangeAnnotationsInput!) { changeAnnotations(input: $i) { __typename } }',
    {
      i: {
        projectId,
        imageId,
        change: [{ annotationId: a.id, geometry: [7, 7, 7, 7], className: 'nut' }],
        remove: [b.id],
        add: [box(30)],
      },
    },
  );
  await app.data(app.post('/api/Images/delete', { imageId: images[3] }));
  const added = await app.image(dataset, await jpeg(30, 30), 'added.jpg');
  const second = await freeze(dataset);
  const compare = (args: string, since = first.id): Promise<any> =>
    app.gql(
      `query ($id: ID!, $since: ID!) { node(id: $id) { ... on DatasetVersion { changes(since: $since ${args}) { totalCount pageInfo { endCursor hasNextPage } nodes { kind imageUuid image { name } before { name } after { name width } annotations { kind project { uuid } before { className geometry } after { className geometry } } } } } } }`,
      { id: second.id, since },
      app.tokens.owner,
    );
  const { changes } = (await compare('')).data.node;
  expect(changes.totalCount).toBe(3);
  const byImage = new Map(changes.nodes.map((node: any) => [node.imageUuid, node]));
  expect(byImage.get(images[3])).toMatchObject({
    kind: 'REMOVED',
    image: null,
    before: { name: '3.jpg' },
    after: null,
    annotations: [],
  });
  expect(byImage.get(added)).toMatchObject({
    kind: 'ADDED',
    before: null,
    after: { name: 'added.jpg', width: 30 },
  });
  const changed: any = byImage.get(images[2]);
  expect(changed).toMatchObject({
    kind: 'CHANGED',
    before: null,
    after: null,
    image: { name: '2.jpg' },
  });
  expect(changed.annotations).toHaveLength(3);
  expect(changed.annotations).toEqual(
    expect.arrayContaining([
      {
        kind: 'CHANGED',
        project: { uuid: project },
        before: { className: 'bolt', geometry: [1, 1, 10.5, 10] },
        after: { className: 'nut', geometry: [7, 7, 7, 7] },
      },
      {
        kind: 'REMOVED',
        project: { uuid: project },
        before: { className: 'bolt', geometry: [2, 1, 10.5, 10] },
        after: null,
      },
      {
        kind: 'ADDED',
        project: { uuid: project },
        before: null,
        after: { className: 'bolt', geometry: [30, 1, 10.5, 10] },
      },
    ]),
  );
  const page = (await compare(', first: 2')).data.node.changes;
  const rest = (await compare(`, first: 2, after: "${page.pageInfo.endCursor}"`)).data.node.changes;
  expect([...page.nodes, ...rest.nodes]).toEqual(changes.nodes);
  expect((await compare('', second.id)).data.node.changes.nodes).toEqual([]);
  const other = await freeze((await world('elsewhere')).dataset);
  expect((await compare('', other.id)).errors[0].extensions.code).toBe('VALIDATION_ERROR');
});

test('a version may have the annotations of one project only', async () => {
  const { dataset, project } = await world('one of two');
  const second = await app.project(workspace, dataset, 'second');
  const unassigned = await app.project(workspace, undefined, 'third');
  const only = { projectId: await globalId('project', project) };
  expect(await freeze(dataset, only)).toMatchObject({ number: 1, annotationsCount: 3 });
  expect(
    await app.get(`/api/Projects/export?projectId=${second}&dataFilter=All&version=${dataset}:1`),
  ).toMatchObject(failure(400, 'VALIDATION_ERROR'));
  const foreign = { projectId: await globalId('project', unassigned) };
  expect(await create(dataset, foreign)).toMatchObject({ __typename: 'NotFoundError' });
  await freeze(dataset);
  await exportOf(second, `&version=${dataset}:2`);
});

describe('rights', () => {
  test('annotators read versions, but neither make nor delete them nor read manifests; strangers see none', async () => {
    const { dataset, project, images } = await world('rights');
    const version = await freeze(dataset);
    const { other, stranger } = app.tokens;
    expect(await create(dataset, {}, other)).toMatchObject({ __typename: 'ForbiddenError' });
    expect(await create(dataset, {}, stranger)).toMatchObject({ __typename: 'NotFoundError' });
    const remove = async (token: string): Promise<string> =>
      (
        await gql(
          'mutation ($i: DeleteDatasetVersionInput!) { deleteDatasetVersion(input: $i) { __typename } }',
          { i: { versionId: version.id } },
          token,
        )
      ).deleteDatasetVersion.__typename;
    expect(await remove(other)).toBe('ForbiddenError');
    expect(await remove(stranger)).toBe('NotFoundError');
    const read = (token: string): Promise<any> =>
      gql('query ($id: ID!) { node(id: $id) { id } }', { id: version.id }, token);
    expect((await read(other)).node).toEqual({ id: version.id });
    expect((await read(stranger)).node).toBeNull();
    const manifest = new URL(version.manifestUrl).pathname;
    expect((await app.get(manifest, other)).status).not.toBe(200);
    expect((await app.get(manifest, other)).text).toContain('FORBIDDEN');
    expect((await app.get(manifest, stranger)).status).not.toBe(200);
    // Annotators export what is assigned to them, from a version, too.
    await gql('mutation ($i: AssignImagesInput!) { assignImages(input: $i) { __typename } }', {
      i: {
        projectId: await globalId('project', project),
        login: 'other',
        imageIds: [await globalId('image', images[1] ?? '')],
      },
    });
    const { text } = await app.get(
      `/api/Projects/export?projectId=${project}&dataFilter=All&version=${dataset}:1`,
      other,
    );
    expect(images.map((id) => text.includes(`annotations/${id}.json`))).toEqual([
      false,
      true,
      false,
    ]);
  });

  test('what is no version of the dataset is refused with a reason', async () => {
    const { dataset, project } = await world('wrong');
    await freeze(dataset);
    for (const version of [
      '',
      'x',
      `${dataset}`,
      `${dataset}:2`,
      `${dataset}:-1`,
      randomUUID(),
      `${randomUUID()}:1`,
    ])
      expect(
        await app.get(
          `/api/Projects/export?projectId=${project}&dataFilter=All&version=${version}`,
        ),
        version,
      ).toMatchObject(failure(400, 'VALIDATION_ERROR'));
    const { json } = await app.get(
      `/api/Projects/export?projectId=${project}&dataFilter=All&version=x`,
    );
    expect(json.errorMessage).toBe('version is not <dataset>:<number>, or the id of the version');
    for (const [more, message] of [
      [{ name: 'x'.repeat(201) }, 'name has more than 200 characters'],
      [{ name: 'a\0b' }, 'name holds characters that can not be stored'],
      [{ notes: 'a\0b' }, 'notes has more than 10000 characters or some that can not be stored'],
    ] as const)
      expect(await create(dataset, more)).toEqual({ __typename: 'ValidationError', message });
  });
});

test('a version that a dead gateway left is frozen by the next one, equal to others of that content', async () => {
  const { dataset } = await world('left');
  const version = await freeze(dataset);
  const left = randomUUID();
  await app.services.db.prisma.datasetVersion.create({
    data: {
      id: left,
      datasetId: dataset,
      number: 2,
      name: '',
      notes: '',
      createdAt: new Date(NOON),
      attempts: 1,
    },
  });
  const domainOf = async (): Promise<number> =>
    (await app.services.db.prisma.workspace.findUniqueOrThrow({ where: { id: workspace } }))
      .domainId;
  // While the domain is locked it waits; while one arrives, nothing is swept.
  const set = (state: string) =>
    app.services.db.rows('UPDATE domain SET state = $1 RETURNING id', [state]);
  await set('LOCKED');
  expect(await freeVersion.first(app.services.db, {})).toBeUndefined();
  expect(await claimVersion.first(app.services.db, { runner: left })).toBeUndefined();
  const claimed = {
    id: left,
    datasetId: dataset,
    domainId: await domainOf(),
    runner: left,
    onlyProject: null,
    attempts: 1,
    frozenAt: null,
  };
  await app.services.db.rows('UPDATE dataset_version SET runner = $1 WHERE id = $1 RETURNING id', [
    left,
  ]);
  await endVersion(app.services.db, claimed, { state: 'FAILED' });
  expect(
    await app.services.db.prisma.datasetVersion.count({ where: { id: left, state: 'FREEZING' } }),
  ).toBe(1);
  await set('ARRIVING');
  app.setTime(NOON + 400 * DAY);
  expect(await sweep(app.services)).toEqual({ rows: 0, objects: 0 });
  app.setTime(NOON);
  await set('OPEN');
  await releaseVersions(app.services);
  const read = () => app.services.db.prisma.datasetVersion.findUnique({ where: { id: left } });
  await expect.poll(async () => (await read())?.state, { timeout: 30_000 }).toBe('READY');
  expect(await read()).toMatchObject({ digest: version.digest, images: 3, annotations: 3 });
});

test('a version is made, and its manifest read, in pieces of about a megabyte, however much there is to an image', async () => {
  const { dataset, project, images } = await world('long', 4);
  // Of 0.6 megabytes each, so that two of them are more than a piece.
  const long = (at: number) => ({
    className: 'bolt',
    shape: 'CLASSIFICATION',
    attributes: Object.fromEntries(
      Array.from({ length: 50 }, (_, n) => [`a${n}`, `${at}`.repeat(990)]),
    ),
  });
  for (const [at, image] of images.entries())
    await annotate(
      project,
      image,
      Array.from({ length: 12 }, () => long(at)),
    );
  const version = await freeze(dataset);
  const { lines, digest } = await manifestOf(version);
  expect(digest).toBe(version.digest);
  const works = lines.map((line) => JSON.parse(line.slice(65)).work).filter(Boolean);
  expect(works.map(({ imageId }) => imageId)).toEqual(images);
  for await (const piece of linesOf(app.services, version.uuid))
    expect(piece.length).toBeLessThan(1.1e6);
  const writes =
    'SELECT count(DISTINCT xmin::text)::text FROM frozen_item WHERE of_id = $1::uuid AND image_id IS NOT NULL';
  expect(await app.services.db.rows(writes, [project])).toEqual([[String(images.length)]]);
});

test('a workspace does not become encrypted while a version holds its images', async () => {
  const plain = await app.workspace('plain');
  const dataset = await app.dataset(plain, 'plain');
  const imageId = await app.image(dataset, await jpeg(41, 43));
  const { id: versionId } = await freeze(dataset);
  await app.data(app.post('/api/Images/delete', { imageId }));
  const encrypt = () =>
    app.post('/api/Workspaces/enableEncryption', {
      workspaceId: plain,
      checksum: `${'A'.repeat(43)}=`,
    });
  expect(await encrypt()).toMatchObject(failure(400, 'WORKSPACE_NOT_EMPTY'));
  // Nor while it could come back.
  await gql(
    'mutation ($i: DeleteDatasetVersionInput!) { deleteDatasetVersion(input: $i) { __typename } }',
    { i: { versionId } },
  );
  expect(await encrypt()).toMatchObject(failure(400, 'WORKSPACE_NOT_EMPTY'));
  app.setTime(NOON + 40 * DAY);
  await collectVersions(app.services);
  app.setTime(NOON);
  expect((await encrypt()).status).toBe(200);
});

test('what no version holds is found by joins, not by a search for each row', async () => {
  const which = { datasetId: randomUUID(), limit: 1 };
  for (const { text, values } of [collectChunks.build(which), collectItems.build(which)]) {
    const plan = JSON.stringify(await app.services.db.rows(`EXPLAIN ${text}`, values));
    expect(plan).toContain('Anti Join');
    expect(plan).not.toContain('SubPlan');
  }
});

test('a version follows the bytes of an image that is encrypted anew', async () => {
  const { dataset, images } = await world('anew');
  const version = await freeze(dataset);
  const { prisma } = app.services.db;
  const rows = await prisma.image.findMany({
    where: { id: { in: images } },
    orderBy: { createdDate: 'asc' },
  });
  await prisma.image.update({
    where: { id: images[0] ?? '' },
    data: { blobId: rows[1]?.blobId ?? '' },
  });
  const items = await prisma.frozenItem.findMany({
    where: { datasetId: dataset, imageId: images[0] ?? '', NOT: { blobId: null } },
  });
  expect(items.map(({ blobId }) => blobId)).toEqual([rows[1]?.blobId]);
  expect((await manifestOf(version)).digest).toBe(version.digest);
});

/** Does something while the next version is frozen: after all was looked at, before the transaction that ends it. */
const beforeItsEnd = (change: () => Promise<unknown>): void => {
  const { db } = app.services;
  const { rows, transaction } = db;
  let isLookedAt = false;
  const spies = [
    vi.spyOn(db, 'rows').mockImplementation((text, ...more) => {
      isLookedAt ||= text === oldestUnseen.build({}).text;
      return rows.call(db, text, ...more);
    }),
    vi.spyOn(db, 'transaction').mockImplementation(async (...args) => {
      if (isLookedAt) {
        stop();
        await change();
      }
      return transaction.apply(db, args);
    }),
  ];
  const stop = (): void => spies.forEach((spy) => spy.mockRestore());
};

test.each([
  ['before', 'each holds what one that is frozen from nothing does'],
  ['while', 'the next one finds no change'],
])(
  'whatever changes %s a version is frozen, %s',
  async (when) => {
    const { dataset, project, images } = await world(when);
    const { pool, prisma } = app.services.db;
    const addImages = (count: number, from: number): Promise<unknown> =>
      pool.query(
        `INSERT INTO image (id, dataset_id, name, width, height, mime_type, blob_id, thumb_blob_id, created_date)
       SELECT gen_random_uuid(), dataset_id, n || '.jpg', width, height, mime_type, blob_id, thumb_blob_id, created_date + n * interval '1 millisecond' FROM image, generate_series($1::int, $2::int) n WHERE id = $3`,
        [from, from + count - 1, images[0]],
      );
    const annotateSome = (modulo: number): Promise<unknown> =>
      pool.query(
        `INSERT INTO image_review (project_id, image_id, state, version) SELECT $1, id, 'ANNOTATED', 1 FROM image WHERE dataset_id = $2 AND hashtext(id::text) % $3 = 0
       ON CONFLICT (project_id, image_id) DO UPDATE SET version = image_review.version + 1`,
        [project, dataset, modulo],
      );
    const steps: (() => Promise<unknown>)[] = [
      () => addImages(1500, 10),
      () => annotateSome(3),
      () =>
        pool.query(
          `UPDATE image SET deleted_at = now() WHERE dataset_id = $1 AND hashtext(id::text) % 50 = 0`,
          [dataset],
        ),
      () => addImages(700, 500),
      () => annotateSome(7),
      () =>
        pool.query(
          `UPDATE image SET deleted_at = NULL WHERE dataset_id = $1 AND hashtext(id::text) % 100 = 0`,
          [dataset],
        ),
      () =>
        pool.query(
          `UPDATE image SET deleted_at = now() WHERE dataset_id = $1 AND created_date < (SELECT created_date FROM image WHERE id = $2) + interval '900 milliseconds'`,
          [dataset, images[0]],
        ),
    ];
    const digests: string[] = [];
    for (const step of steps) {
      if (when === 'before') await step();
      else beforeItsEnd(step);
      const version = await freeze(dataset);
      if (when === 'while') expect((await freeze(dataset)).digest).toBe(version.digest);
      digests.push(version.digest);
      expect((await manifestOf(version)).digest).toBe(version.digest);
      const live = await prisma.image.count({ where: { datasetId: dataset, deletedAt: null } });
      expect(version.imagesCount).toBe(live);
    }
    expect(new Set(digests).size).toBe(steps.length);
    // All of what is frozen, away: the next version finds nothing to share.
    await prisma.datasetVersion.deleteMany({ where: { datasetId: dataset } });
    await collectVersions(app.services);
    expect(await prisma.frozenItem.count({ where: { datasetId: dataset } })).toBe(0);
    expect((await freeze(dataset)).digest).toBe(digests.at(-1));
  },
  60_000,
);

// The embedded database has one transaction at a time.
test.skipIf(process.env['TEST_DATABASE_URL'] === undefined)(
  'a claim that is renewed while a version is being written does not undo that',
  async () => {
    const { dataset } = await world('renewed');
    const { db } = app.services;
    await db.rows('CREATE SEQUENCE written', []);
    await db.rows(
      `CREATE FUNCTION wait_to_write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('written'); PERFORM pg_advisory_xact_lock(77); RETURN NULL; END $$`,
      [],
    );
    await db.rows(
      'CREATE TRIGGER wait_to_write BEFORE INSERT ON version_tree FOR EACH STATEMENT EXECUTE FUNCTION wait_to_write()',
      [],
    );
    let version: Promise<any> | undefined;
    await db.transaction(async (_, tx) => {
      await tx.rows('SELECT pg_advisory_xact_lock(77)', []);
      version = freeze(dataset);
      await untilSomebodyWaits(db);
      await db.rows(
        'UPDATE dataset_version SET alive_at = clock_timestamp() WHERE dataset_id = $1',
        [dataset],
      );
    });
    expect(await version).toMatchObject({ state: 'READY', imagesCount: 3 });
    await db.rows('DROP FUNCTION wait_to_write() CASCADE', []);
    const [row] = await db.rows('SELECT last_value FROM written', []);
    expect(row?.[0]).toBe('1');
  },
);

test('a version shows one instant, while others write', async () => {
  const { dataset, project, images } = await world('instant');
  let stop = false;
  // The second image is annotated after the first, each time.
  const writer = (async () => {
    for (let at = 1; !stop; at++)
      for (const image of images.slice(0, 2))
        await annotate(
          project,
          image,
          [box(at % 50), ...Array.from({ length: at }, () => box(1))].slice(0, 60),
        );
  })();
  for (let round = 0; round < 5; round++) {
    const { lines } = await manifestOf(await freeze(dataset));
    const counts = lines
      .map((line) => JSON.parse(line.slice(65)))
      .flatMap(({ work }) => (work ? [work.annotations.length] : []));
    const [first = 0, second = 0] = counts;
    expect(first === second || first === second + 1 || round === 0, `${first} and ${second}`).toBe(
      true,
    );
  }
  stop = true;
  await writer;
}, 60_000);
