import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ImportError } from '../../src/import/import-error.ts';
import { startDatasetApp, type DatasetApp } from '../support/datasets.ts';
import { jpeg } from '../support/images.ts';

let app: DatasetApp;
const [workspace, dataset, project] = [randomUUID(), randomUUID(), randomUUID()];
let image: string;
const records = (): object[] => [
  {
    record: 'workspace',
    id: workspace,
    domain: 'one',
    name: 'Imported',
    members: [
      { user: 'Owner', role: 'OWNER' },
      { user: 'other', role: 'ANNOTATOR' },
    ],
  },
  { record: 'dataset', id: dataset, workspace, name: 'Bolts', description: 'of steel' },
  {
    record: 'project',
    id: project,
    workspace,
    name: 'Find bolts',
    datasets: [dataset],
    members: ['other'],
    classes: [
      { name: 'bolt', color: '#FF0000' },
      { name: 'nut', color: '#00ff00' },
    ],
  },
];
const annotations = (more: object = {}): object => ({
  record: 'annotations',
  project,
  image,
  annotations: [
    { class: 'bolt', shape: 'BBOX', geometry: [10, 20, 30, 40] },
    { class: 'nut', shape: 'CLASSIFICATION' },
  ],
  ...more,
});

const NEW = { new: 1, changed: 0, same: 0 };
const CHANGED = { new: 0, changed: 1, same: 0 };
const SAME = { new: 0, changed: 0, same: 1 };

beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  expect(await app.load(records())).toEqual({ workspace: NEW, dataset: NEW, project: NEW });
  image = await app.image(dataset, await jpeg());
});
afterAll(() => app.close());

const refused = async (...lines: object[]): Promise<unknown[]> => {
  const error = await app.load(lines).catch((reason: unknown) => reason);
  if (!(error instanceof ImportError)) throw new Error('the import was not refused');
  return error.problems.map(({ line, field, reason }) => [line, field, reason]);
};
const snapshot = async (): Promise<unknown> => {
  const tables = [
    'workspace',
    'workspace_member',
    'dataset',
    'project',
    'project_dataset',
    'project_member',
    'annotation_class',
    'annotation',
    'image_review',
    'image',
  ];
  return Promise.all(
    tables.map((table) =>
      app.services.db.rows(`SELECT t::text, t.xmin::text FROM ${table} t ORDER BY 1`, []),
    ),
  );
};

test('what was imported is there for its members, on both faces', async () => {
  expect(await app.data(app.get('/api/Workspaces'))).toEqual([
    { id: workspace, name: 'Imported', encrypted: false },
  ]);
  expect(
    await app.data(app.get(`/api/Datasets?workspaceId=${workspace}`, app.tokens.other)),
  ).toEqual([
    {
      id: dataset,
      name: 'Bolts',
      description: 'of steel',
      imagesCount: 1,
      projectsCount: 1,
      status: 'Draft',
    },
  ]);
  expect(await app.data(app.get(`/api/Projects?workspaceId=${workspace}`))).toEqual([
    {
      id: project,
      name: 'Find bolts',
      status: 'Draft',
      description: '',
      imageCount: 1,
      usersCount: 1,
    },
  ]);
  expect(await app.data(app.get('/api/Workspaces', app.tokens.stranger))).toEqual([]);
  const { data } = await app.gql(
    'query ($p: UUID!) { project(uuid: $p) { classes { name color position } } }',
    { p: project },
    app.tokens.owner,
  );
  expect(data.project.classes).toEqual([
    { name: 'bolt', color: '#ff0000', position: 1 },
    { name: 'nut', color: '#00ff00', position: 2 },
  ]);
});

test('annotations replace those of the image, and an empty list says that there is nothing on it', async () => {
  await app.load([annotations({ review: 'ACCEPTED' })]);
  const read = async (): Promise<unknown> =>
    app.services.db.rows(
      'SELECT c.name, a.shape, a.geometry::text FROM annotation a JOIN annotation_class c ON c.id = a.class_id WHERE a.image_id = $1 ORDER BY a.id',
      [image],
    );
  expect(await read()).toEqual([
    ['bolt', 'BBOX', '[10, 20, 30, 40]'],
    ['nut', 'CLASSIFICATION', null],
  ]);
  await app.load([annotations({ annotations: [] })]);
  expect([
    await read(),
    (await app.services.db.rows('SELECT state FROM image_review WHERE image_id = $1', [image]))[0],
  ]).toEqual([[], ['ANNOTATED']]);
});

test('importing the same again changes nothing; what is left out stays, lists replace', async () => {
  await app.load([...records(), annotations()]);
  const before = await snapshot();
  app.setTime(Date.UTC(2026, 10, 20, 13));
  expect(await app.load([...records(), annotations()])).toEqual({
    workspace: SAME,
    dataset: SAME,
    project: SAME,
    annotations: SAME,
  });
  expect(await snapshot()).toEqual(before);
  const changes = await app.load([
    annotations({ review: 'ACCEPTED' }),
    { record: 'dataset', id: dataset, workspace, status: 'Published' },
    { record: 'project', id: project, workspace, members: [] },
    {
      record: 'workspace',
      id: workspace,
      domain: 'one',
      members: [{ user: 'owner', role: 'OWNER' }],
    },
  ]);
  expect(changes).toEqual({
    workspace: CHANGED,
    dataset: CHANGED,
    project: CHANGED,
    annotations: CHANGED,
  });
  expect(
    await app.services.db.rows(
      'SELECT name, description, status, version FROM dataset WHERE id = $1',
      [dataset],
    ),
  ).toEqual([['Bolts', 'of steel', 'PUBLISHED', '2']]);
  expect((await app.data(app.get(`/api/Projects?workspaceId=${workspace}`)))[0]).toMatchObject({
    name: 'Find bolts',
    imageCount: 1,
    usersCount: 0,
  });
  expect(await app.data(app.get('/api/Workspaces', app.tokens.other))).toEqual([]);
});

test('faults name line and field, and nothing is stored', async () => {
  const before = await snapshot();
  const [gone, id] = [randomUUID(), randomUUID()];
  await app.load([
    {
      record: 'workspace',
      id: gone,
      domain: 'one',
      name: 'Gone',
      members: [{ user: 'owner', role: 'OWNER' }],
    },
  ]);
  await app.data(app.post('/api/Workspaces/delete', { workspaceId: gone }));
  expect(
    await refused(
      { record: 'workspace', id, domain: 'none', name: 'x' },
      { record: 'workspace', id, domain: 'one' },
      { record: 'workspace', id: workspace, domain: 'two', name: 'Taken' },
      { record: 'workspace', id: gone, domain: 'one', name: 'Back' },
      {
        record: 'workspace',
        id,
        domain: 'one',
        name: 'New',
        members: [{ user: 'stranger', role: 'OWNER' }],
      },
      { record: 'dataset', id: randomUUID(), workspace: gone, name: 'x' },
      { record: 'dataset', id: randomUUID(), workspace },
      { record: 'dataset', id: dataset, workspace, status: 'Draft' },
      { record: 'dataset', id: dataset, workspace: id, name: 'moved' },
      { record: 'project', id: project, workspace, datasets: [id], members: ['stranger'] },
      annotations({ image: id }),
      annotations({ annotations: [{ class: 'screw', shape: 'BBOX', geometry: [0, 0, 9000, 1] }] }),
      { record: 'dataset', id: 'x', workspace, name: 'x' },
    ),
  ).toEqual([
    [1, 'domain', 'no domain "none" in the database or on an earlier line'],
    [2, 'name', 'is required for a new workspace'],
    [3, 'id', 'the workspace belongs to another domain'],
    [4, 'id', 'the workspace is deleted'],
    [5, 'members[0].user', 'no user "stranger" in domain "one"'],
    [6, 'workspace', `no workspace ${gone} in the database or on an earlier line`],
    [7, 'name', 'is required for a new dataset'],
    [8, 'status', 'it is published: there is no way back'],
    [9, 'workspace', 'the dataset belongs to another workspace'],
    [10, 'datasets[0]', `no dataset ${id} in the workspace`],
    [10, 'members[0]', '"stranger" is not a member of the workspace'],
    [11, 'image', `no image ${id} in the datasets of project ${project}`],
    [12, 'annotations[0].class', 'the project has no class "screw"'],
    [12, 'annotations[0].geometry', 'a box is [x, y, width, height] inside the image'],
    [13, 'id', expect.stringMatching(/uuid/i)],
  ]);
  await app.services.db.rows('DELETE FROM workspace WHERE id = $1', [gone]);
  expect(await snapshot()).toEqual(before);
});
