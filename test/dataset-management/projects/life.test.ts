import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sweepStorage } from '../../../src/dataset-management/sweep/sweep-storage.ts';
import { NOON } from '../../support/app.ts';
import { importCoco } from '../../support/import-coco.ts';
import { startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { jpeg } from '../../support/images.ts';
import { untilSomebodyWaits } from '../../support/until-somebody-waits.ts';

let app: DatasetApp;
let photo: Buffer;
let workspace: string;
let dataset: string;
let project: string;
let image: string;
const globalId = (type: string, id: string): string =>
  Buffer.from(`${type}:${id}`).toString('base64');

beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  photo = await jpeg();
});
afterAll(() => app.close());
beforeEach(async () => {
  workspace = await app.workspace();
  dataset = await app.dataset(workspace);
  project = await app.project(workspace, dataset);
  image = await app.image(dataset, photo);
  const classes = ['cat', 'kitten', 'dog'].map((name) => ({ name }));
  await send('addAnnotationClasses', { classes });
});

const ofProject = '... on ProjectPayload { project { name status version } }';
const ofClasses =
  '... on ClassChangePayload { annotationsCount project { version classes { name color position supercategory annotationsCount skeleton { points edges } } } }';
const invalid = '... on ValidationError { problems { path message } }';
const mutations: Record<string, { type: string; select: string }> = {
  updateProject: { type: 'UpdateProjectInput', select: `${ofProject} ${invalid}` },
  publishProject: { type: 'ProjectIdInput', select: ofProject },
  unpublishProject: { type: 'ProjectIdInput', select: ofProject },
  deleteProject: { type: 'ProjectIdInput', select: '... on DeletePayload { undoToken }' },
  updateAnnotationClass: { type: 'UpdateAnnotationClassInput', select: `${ofClasses} ${invalid}` },
  mergeAnnotationClasses: {
    type: 'MergeAnnotationClassesInput',
    select: `${ofClasses} ${invalid}`,
  },
  removeAnnotationClass: { type: 'RemoveAnnotationClassInput', select: `${ofClasses} ${invalid}` },
  addAnnotationClasses: { type: 'AddAnnotationClassesInput', select: invalid },
  annotateImage: {
    type: 'AnnotateImageInput',
    select: `... on AnnotateImagePayload { image { uuid } } ... on ConflictError { currentVersion } ${invalid}`,
  },
};

/** Sends a mutation about the project. */
async function send(name: string, input: object = {}, token = app.tokens.owner): Promise<any> {
  const { type, select } = mutations[name]!;
  const { data, errors } = await app.gql(
    `mutation ($input: ${type}!) { result: ${name}(input: $input) { __typename ${select} ... on UserError { code } } }`,
    { input: { projectId: globalId('Project', project), ...input } },
    token,
  );
  expect(errors).toBeUndefined();
  return data.result;
}
const annotate = (classNames: string[], more: object = {}): Promise<any> =>
  send('annotateImage', {
    imageId: globalId('DatasetImage', image),
    annotations: classNames.map((className) => ({ className, shape: 'CLASSIFICATION' })),
    ...more,
  });
const statusInRest = async (): Promise<unknown> =>
  (await app.data(app.get(`/api/Projects?workspaceId=${workspace}`))).map(
    ({ status }: { status: string }) => status,
  );
const namesOf = async (): Promise<string[]> => {
  const { data } = await app.gql(
    'query ($u: UUID!) { image(uuid: $u) { annotations { nodes { className } } } }',
    { u: image },
    app.tokens.owner,
  );
  return data.image.annotations.nodes
    .map(({ className }: { className: string }) => className)
    .sort();
};

test('a project is renamed, published and unpublished; REST shows its status', async () => {
  const first = await send('updateProject', { name: ' Cats ', description: '' });
  expect(first).toMatchObject({ project: { name: 'Cats', status: 'DRAFT' } });
  const { version } = first.project;
  expect(
    await send('updateProject', { name: 'x', description: '', expectedVersion: version - 1 }),
  ).toMatchObject({ __typename: 'ConflictError' });
  expect(await send('updateProject', { name: ' ', description: '' })).toMatchObject({
    problems: [{ path: ['input', 'name'] }],
  });
  expect(await send('publishProject')).toMatchObject({
    project: { status: 'PUBLISHED', version: version + 1 },
  });
  expect(await statusInRest()).toEqual(['Published']);
  // Repeating it changes nothing.
  expect(await send('publishProject')).toMatchObject({ project: { version: version + 1 } });
  expect(await send('unpublishProject')).toMatchObject({
    project: { status: 'DRAFT', version: version + 2 },
  });
  expect(await statusInRest()).toEqual(['Draft']);
});

test('a class that can not be added says why', async () => {
  for (const [name, message] of [
    [' ', 'name is required'],
    ['x'.repeat(201), 'name has more than 200 characters'],
    ['a\0b', 'name holds characters that can not be stored'],
  ])
    expect(await send('addAnnotationClasses', { classes: [{ name }] })).toMatchObject({
      problems: [{ path: ['input', 'classes', '0', 'name'], message }],
    });
});

test('an annotator changes nothing of it, and a stranger does not see it', async () => {
  await app.member(workspace, 'other', 'ANNOTATOR');
  const inputs: Record<string, object> = {
    updateProject: { name: 'x', description: '' },
    publishProject: {},
    unpublishProject: {},
    deleteProject: {},
    updateAnnotationClass: { name: 'cat', newName: 'x' },
    mergeAnnotationClasses: { from: ['cat'], into: 'dog' },
    removeAnnotationClass: { name: 'cat' },
  };
  for (const [name, input] of Object.entries(inputs)) {
    expect([name, await send(name, input, app.tokens.other)]).toMatchObject([
      name,
      { __typename: 'ForbiddenError' },
    ]);
    expect([name, await send(name, input, app.tokens.stranger)]).toMatchObject([
      name,
      { __typename: 'NotFoundError' },
    ]);
  }
});

test('a deleted project is hidden with its annotations, and undoDelete brings both back', async () => {
  await annotate(['cat']);
  const { undoToken } = await send('deleteProject');
  expect(await statusInRest()).toEqual([]);
  expect(await namesOf()).toEqual([]);
  expect(await annotate(['cat'])).toMatchObject({ __typename: 'NotFoundError' });
  expect(await send('deleteProject')).toMatchObject({ __typename: 'NotFoundError' });
  const undo = (token: string) =>
    app.gql(
      'mutation ($t: String!) { undoDelete(input: { undoToken: $t }) { ... on UndoDeletePayload { restoredId } ... on UserError { code } } }',
      { t: undoToken },
      token,
    );
  expect((await undo(app.tokens.other)).data.undoDelete).toMatchObject({ code: 'NOT_FOUND' });
  expect((await undo(app.tokens.owner)).data.undoDelete).toEqual({
    restoredId: globalId('Project', project),
  });
  expect(await namesOf()).toEqual(['cat']);
});

test('annotations of a deleted project count for hasAnnotations until they are removed', async () => {
  await annotate(['cat']);
  const annotated = async (token: string): Promise<unknown> => {
    const { data } = await app.gql(
      'query ($u: UUID!) { image(uuid: $u) { hasAnnotations dataset { images(hasAnnotations: true) { totalCount } } } }',
      { u: image },
      token,
    );
    return [data.image.hasAnnotations, data.image.dataset.images.totalCount];
  };
  await send('deleteProject');
  expect(await annotated(app.tokens.owner)).toEqual([true, 1]);
  app.setTime(NOON + 31 * 24 * 3600 * 1000);
  await sweepStorage(app.services);
  expect(await annotated(await app.signedIn('owner'))).toEqual([false, 0]);
  app.setTime(NOON);
});

test('a class is renamed and gets colour, supercategory and skeleton; annotations follow', async () => {
  await annotate(['cat', 'dog']);
  const skeleton = { points: ['nose', 'tail'], edges: [[1, 2]] };
  const { project: changed } = await send('updateAnnotationClass', {
    name: 'cat',
    newName: 'tom',
    color: '#ABCDEF',
    supercategory: 'animal',
    skeleton,
  });
  expect(changed.classes[0]).toEqual({
    name: 'tom',
    color: '#abcdef',
    position: 1,
    supercategory: 'animal',
    annotationsCount: 1,
    skeleton,
  });
  expect(await namesOf()).toEqual(['dog', 'tom']);
  const cleared = await send('updateAnnotationClass', {
    name: 'tom',
    supercategory: null,
    skeleton: null,
  });
  expect(cleared.project.classes[0]).toMatchObject({ supercategory: null, skeleton: null });
  for (const [input, ...path] of [
    [{ name: 'tom', newName: 'dog' }, 'newName'],
    [{ name: 'tom', color: 'red' }, 'color'],
    [{ name: 'tom', skeleton: { points: ['a'], edges: [[1, 2]] } }, 'skeleton'],
    [{ name: 'tom', skeleton: { points: ['a', 'a'], edges: [] } }, 'skeleton'],
    [{ name: 'tom', skeleton: { points: [], edges: [] } }, 'skeleton', 'points'],
    [{ name: 'tom', skeleton: { points: ['a', ' '], edges: [] } }, 'skeleton', 'points', '1'],
  ] as const)
    expect(await send('updateAnnotationClass', input)).toMatchObject({
      problems: [{ path: ['input', ...path] }],
    });
  expect(await send('updateAnnotationClass', { name: 'cow', color: '#000000' })).toMatchObject({
    __typename: 'NotFoundError',
  });
});

test('many classes are added and changed at once, in their order', async () => {
  const names = Array.from({ length: 450 }, (_, n) => `part ${n}`);
  const all = ['cat', 'kitten', 'dog', ...names];
  const stored = async (): Promise<any[]> =>
    (
      await app.services.db.prisma.annotationClass.findMany({
        where: { projectId: project },
        orderBy: { position: 'asc' },
      })
    ).map(({ name, position, color }) => ({ name, position, color }));
  await send('addAnnotationClasses', { classes: names.map((name) => ({ name })) });
  const added = await stored();
  expect(added.map(({ name, position }) => [name, position])).toEqual(
    all.map((name, index) => [name, index + 1]),
  );
  await send('addAnnotationClasses', {
    classes: all.toReversed().flatMap((name) => [{ name, color: '#ABCDEF' }, { name }]),
  });
  expect(await stored()).toEqual(added.map((row) => ({ ...row, color: '#abcdef' })));
});

test('a project has at most 10,000 classes, however more are sent', async () => {
  await app.services.db.pool.query(
    `INSERT INTO annotation_class (id, project_id, name, color, position) SELECT gen_random_uuid(), $1, 'part ' || n, '#000000', n FROM generate_series(4, 9999) n`,
    [project],
  );
  const count = (): Promise<number> =>
    app.services.db.prisma.annotationClass.count({ where: { projectId: project } });
  const message = 'the project would have more than 10000 classes';
  const [cat, cow, hen] = ['cat', 'cow', 'hen'].map((name) => ({ name, color: '#0000ff' }));
  const record = (classes: object[]) =>
    app.load([{ record: 'project', id: project, workspace, classes }]);
  const coco = (...categories: object[]) =>
    importCoco(
      app,
      project,
      JSON.stringify({
        categories: categories.map((one, id) => ({ ...one, id })),
        images: [],
        annotations: [],
      }),
    );
  expect(await send('addAnnotationClasses', { classes: [cow, hen] })).toMatchObject({
    problems: [{ path: ['input', 'classes'], message }],
  });
  await expect(record([cow!, hen!])).rejects.toThrow(`classes: ${message}`);
  await expect(coco({ name: 'cow' }, { name: 'hen' })).rejects.toThrow(message);
  expect(await count()).toBe(9999);
  await coco({ name: 'cow' });
  expect(await count()).toBe(10_000);
  // Those that it has are changed as before.
  await record([cat!, cow!]);
  expect(await send('addAnnotationClasses', { classes: [cat, cow] })).toEqual({
    __typename: 'AddAnnotationClassesPayload',
  });
  await expect(record([cat!, hen!])).rejects.toThrow(`classes: ${message}`);
});

test('classes are merged: their annotations get the one that stays, and the work a new version', async () => {
  await annotate(['cat', 'kitten', 'dog']);
  const merged = await send('mergeAnnotationClasses', { from: ['kitten'], into: 'cat' });
  expect(merged).toMatchObject({ annotationsCount: 1 });
  expect(merged.project.classes).toMatchObject([
    { name: 'cat', position: 1, annotationsCount: 2 },
    { name: 'dog', position: 3, annotationsCount: 1 },
  ]);
  expect(await namesOf()).toEqual(['cat', 'cat', 'dog']);
  // Who annotates on what they saw before is told.
  expect(await annotate(['cat'], { expectedVersion: 1 })).toMatchObject({ currentVersion: 2 });
  expect(await send('mergeAnnotationClasses', { from: ['cat'], into: 'cat' })).toMatchObject({
    problems: [{ path: ['input', 'from'] }],
  });
});

test('a class with annotations goes with them, if that is said', async () => {
  await annotate(['cat', 'dog']);
  expect(await send('removeAnnotationClass', { name: 'cat' })).toMatchObject({
    problems: [{ path: ['input', 'name'] }],
  });
  expect(
    await send('removeAnnotationClass', { name: 'cat', deleteAnnotations: true }),
  ).toMatchObject({ annotationsCount: 1 });
  expect(await namesOf()).toEqual(['dog']);
  expect(await send('removeAnnotationClass', { name: 'kitten' })).toMatchObject({
    annotationsCount: 0,
  });
});

test('the classes of a published project keep their names', async () => {
  await send('publishProject');
  const refused = { __typename: 'ForbiddenError', code: 'PROJECT_PUBLISHED' };
  expect(await send('updateAnnotationClass', { name: 'cat', newName: 'tom' })).toEqual(refused);
  expect(await send('mergeAnnotationClasses', { from: ['cat'], into: 'dog' })).toEqual(refused);
  expect(await send('removeAnnotationClass', { name: 'cat' })).toEqual(refused);
  expect(await send('updateAnnotationClass', { name: 'cat', color: '#000000' })).toMatchObject({
    __typename: 'ClassChangePayload',
  });
  expect(await annotate(['cat'])).toMatchObject({ __typename: 'AnnotateImagePayload' });
});

test('merging while many annotate loses no annotation and fails nobody', async () => {
  const images = [image];
  for (let n = 0; n < 4; n++) images.push(await app.image(dataset, photo, `${n}.jpg`));
  const [merged, ...annotated] = await Promise.all([
    send('mergeAnnotationClasses', { from: ['kitten'], into: 'cat' }),
    ...images.flatMap((id) =>
      ['kitten', 'dog'].map((className) =>
        send('annotateImage', {
          imageId: globalId('DatasetImage', id),
          annotations: [{ className, shape: 'CLASSIFICATION' }],
        }),
      ),
    ),
  ]);
  expect(merged.__typename).toBe('ClassChangePayload');
  // After the merge there is no such class any more, which is told.
  for (const { __typename, problems } of annotated)
    expect([__typename, problems?.[0].path.at(-1)]).toEqual(
      __typename === 'ValidationError'
        ? ['ValidationError', 'className']
        : ['AnnotateImagePayload', undefined],
    );
  const rows = await app.services.db.prisma.annotation.findMany({
    where: { projectId: project },
    include: { class: true },
  });
  expect(rows.length).toBe(new Set(rows.map(({ imageId }) => imageId)).size);
  expect(rows.filter((row) => row.class.name === 'kitten')).toEqual([]);
});

test('classes of many annotations are merged and removed in steps; what ends one between them loses nothing', async () => {
  const images = [image, await app.image(dataset, photo, '2.jpg')];
  for (const id of images)
    expect(
      await send('annotateImage', {
        imageId: globalId('DatasetImage', id),
        annotations: ['dog', ...Array<string>(600).fill('kitten')].map((className) => ({
          className,
          shape: 'CLASSIFICATION',
        })),
      }),
    ).toMatchObject({ __typename: 'AnnotateImagePayload' });
  const merge = { from: ['kitten'], into: 'cat' };
  const [merged] = await Promise.all([
    send('mergeAnnotationClasses', merge),
    send('publishProject'),
  ]);
  if (merged.__typename !== 'ClassChangePayload') {
    expect(merged).toEqual({ __typename: 'ForbiddenError', code: 'PROJECT_PUBLISHED' });
    await send('unpublishProject');
    expect(await send('mergeAnnotationClasses', merge)).toMatchObject({
      __typename: 'ClassChangePayload',
    });
  }
  await send('unpublishProject');
  const counts = (found: any): unknown[] =>
    found.project.classes.map((one: any) => [one.name, one.annotationsCount]);
  const renamed = await send('updateAnnotationClass', { name: 'cat', color: '#000000' });
  expect(counts(renamed)).toEqual([
    ['cat', 1200],
    ['dog', 2],
  ]);
  const removed = await send('removeAnnotationClass', { name: 'cat', deleteAnnotations: true });
  expect(removed).toMatchObject({ annotationsCount: 1200 });
  expect(counts(removed)).toEqual([['dog', 2]]);
});

test('an import changes classes and makes a published project a draft again', async () => {
  await send('publishProject');
  await app.load([
    {
      record: 'project',
      id: project,
      workspace,
      status: 'Draft',
      classes: [
        {
          name: 'cat',
          color: '#102030',
          supercategory: 'animal',
          skeleton: { points: ['nose'], edges: [] },
        },
      ],
    },
  ]);
  expect(await statusInRest()).toEqual(['Draft']);
  const stored = await app.services.db.prisma.annotationClass.findFirst({
    where: { projectId: project, name: 'cat' },
  });
  expect(stored).toMatchObject({ color: '#102030', supercategory: 'animal' });
});

test('two lists of members at once do not become one', async () => {
  const { db } = app.services;
  await app.load([{ record: 'user', login: 'third', domain: 'one' }]);
  for (const login of ['other', 'third']) await app.member(workspace, login, 'ANNOTATOR');
  const set = (...logins: string[]) =>
    app.gql(
      'mutation ($input: SetProjectMembersInput!) { setProjectMembers(input: $input) { __typename } }',
      { input: { projectId: globalId('Project', project), logins } },
      app.tokens.owner,
    );
  const calls: Promise<unknown>[] = [];
  const rolledBack = new Error('rolled back');
  await db
    .transaction(async (_, tx) => {
      // Holds up whoever adds the same member.
      await tx.rows(
        `INSERT INTO project_member (project_id, user_id) SELECT $1, id FROM "user" WHERE login = 'other'`,
        [project],
      );
      calls.push(set('owner', 'other'));
      await untilSomebodyWaits(db);
      const second = set('third');
      calls.push(second);
      await Promise.race([second, untilSomebodyWaits(db, 2)]);
      throw rolledBack;
    })
    .catch((error: unknown) => expect(error).toBe(rolledBack));
  await Promise.all(calls);
  const rows = await db.rows(
    'SELECT u.login FROM project_member p JOIN "user" u ON u.id = p.user_id WHERE p.project_id = $1 ORDER BY u.login',
    [project],
  );
  expect(['other owner', 'third']).toContain(rows.map(([login]) => String(login)).join(' '));
});
