import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { NOON } from '../../support/app.ts';
import { startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { jpeg } from '../../support/images.ts';
import { interceptRows } from '../../support/intercept-rows.ts';
import { subscribeSse } from '../../support/streams.ts';

let app: DatasetApp;
let photo: Buffer;
let workspace: string;
let dataset: string;
let project: string;
let images: string[];
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
  await app.member(workspace, 'other', 'ANNOTATOR');
  images = [];
  for (let n = 0; n < 3; n++) {
    app.setTime(NOON + n);
    images.push(await app.image(dataset, photo, `${n}.jpg`));
  }
  await send('addAnnotationClasses', { classes: [{ name: 'cat' }, { name: 'dog' }] }, '');
});

const PARTS: Record<string, string> = {
  image:
    '... on AnnotateImagePayload { image { review(projectId: $p) { state version annotatedBy { login } reviewedBy { login } } annotations(projectId: $p) { totalCount nodes { id className shape geometry author { login } } } } } ... on ConflictError { currentVersion }',
  assign: '... on AssignImagesPayload { assignedCount }',
};

/** Sends a mutation about the project, and about an image if one is given. */
async function send(
  name: string,
  input: object,
  part = PARTS['image'],
  token = app.tokens.owner,
): Promise<any> {
  const type = `${name[0]!.toUpperCase()}${name.slice(1)}Input`;
  const uses = part?.includes('$p') ? ', $p: ID!' : '';
  const { data, errors } = await app.gql(
    `mutation ($input: ${type}!${uses}) { result: ${name}(input: $input) { __typename ${part} ... on ValidationError { problems { path message } } ... on UserError { code } } }`,
    {
      input: { projectId: globalId('Project', project), ...input },
      p: globalId('Project', project),
    },
    token,
  );
  expect(errors).toBeUndefined();
  return data.result;
}
const at = (index: number): { imageId: string } => ({
  imageId: globalId('DatasetImage', images[index] ?? ''),
});
const box = (className: string, x = 1) => ({ className, shape: 'BBOX', geometry: [x, 1, 5, 5] });
const annotate = (index: number, annotations: object[], more: object = {}, token?: string) =>
  send('annotateImage', { ...at(index), annotations, ...more }, undefined, token);
const change = (index: number, more: object, token?: string) =>
  send('changeAnnotations', { ...at(index), ...more }, undefined, token);

/** Names of the images of the dataset that a filter finds. */
async function find(filter: object, token = app.tokens.owner): Promise<string[]> {
  const { data, errors } = await app.gql(
    'query ($d: UUID!, $filter: ImageFilterInput) { dataset(uuid: $d) { images(first: 2, filter: $filter) { totalCount pageInfo { endCursor } nodes { name } } } }',
    { d: dataset, filter: { projectId: globalId('Project', project), ...filter } },
    token,
  );
  expect(errors).toBeUndefined();
  const { nodes, totalCount, pageInfo } = data.dataset.images;
  const next = await app.gql(
    'query ($d: UUID!, $filter: ImageFilterInput, $after: Cursor) { dataset(uuid: $d) { images(first: 5, after: $after, filter: $filter) { nodes { name } } } }',
    {
      d: dataset,
      filter: { projectId: globalId('Project', project), ...filter },
      after: pageInfo.endCursor,
    },
    token,
  );
  expect(next.errors).toBeUndefined();
  const rest = pageInfo.endCursor === null ? [] : next.data.dataset.images.nodes;
  expect(nodes.length + rest.length).toBe(totalCount);
  return [...nodes, ...rest].map(({ name }: { name: string }) => name);
}

test('annotations are read with their author, the image with its state and version', async () => {
  const { other } = app.tokens;
  expect(await annotate(0, [box('cat'), box('dog', 3)], {}, other)).toMatchObject({
    image: {
      review: {
        state: 'ANNOTATED',
        version: 1,
        annotatedBy: { login: 'other' },
        reviewedBy: { login: 'other' },
      },
      annotations: {
        totalCount: 2,
        nodes: [
          { className: 'cat', shape: 'BBOX', geometry: [1, 1, 5, 5], author: { login: 'other' } },
          { className: 'dog', geometry: [3, 1, 5, 5] },
        ],
      },
    },
  });
  expect(await send('reviewImage', { ...at(0), state: 'ACCEPTED' })).toMatchObject({
    image: {
      review: {
        state: 'ACCEPTED',
        version: 2,
        annotatedBy: { login: 'other' },
        reviewedBy: { login: 'owner' },
      },
    },
  });
});

test('to say of an image that nobody has annotated it changes nothing where nobody has', async () => {
  const untouched = { state: 'NONE', version: 0, annotatedBy: null, reviewedBy: null };
  const none = { ...at(0), state: 'NONE', expectedVersion: 0 };
  for (let times = 0; times < 2; times++)
    expect(await send('reviewImage', none)).toMatchObject({ image: { review: untouched } });
});

test('a change that is based on an old version is a conflict, which tells the present one', async () => {
  expect(await annotate(0, [box('cat')], { expectedVersion: 0 })).toMatchObject({
    image: { review: { version: 1 } },
  });
  const stale = { __typename: 'ConflictError', currentVersion: 1, code: 'CONFLICT' };
  expect(await annotate(0, [], { expectedVersion: 0 })).toEqual(stale);
  expect(await change(0, { add: [box('dog')], expectedVersion: 0 })).toEqual(stale);
  expect(await send('reviewImage', { ...at(0), state: 'ACCEPTED', expectedVersion: 0 })).toEqual(
    stale,
  );
  // The same annotations again are no change.
  expect(await annotate(0, [box('cat')])).toMatchObject({ image: { review: { version: 1 } } });
  expect(await send('reviewImage', { ...at(0), state: 'NONE' })).toMatchObject({
    image: { review: { state: 'NONE', version: 2 }, annotations: { totalCount: 1 } },
  });
});

test('of two annotators of one image at once, each based on what they saw, one is told', async () => {
  const answers = await Promise.all([
    annotate(0, [box('cat')], { expectedVersion: 0 }),
    annotate(0, [box('dog')], { expectedVersion: 0 }, app.tokens.other),
  ]);
  expect(answers.map(({ __typename }) => __typename).sort()).toEqual([
    'AnnotateImagePayload',
    'ConflictError',
  ]);
});

test('single annotations are added, changed and removed; the others keep id and author', async () => {
  const first = await annotate(0, [box('cat'), box('dog', 3), box('cat', 5)], {}, app.tokens.other);
  const [cat, dog, last] = first.image.annotations.nodes;
  app.setTime(NOON + 1000);
  const { image } = await change(0, {
    add: [{ className: 'dog', shape: 'CLASSIFICATION' }],
    change: [{ annotationId: cat.id, className: 'dog', geometry: [2, 2, 4, 4] }],
    remove: [dog.id],
  });
  expect(image.review).toMatchObject({ version: 2, annotatedBy: { login: 'owner' } });
  expect(image.annotations.nodes).toMatchObject([
    { id: cat.id, className: 'dog', geometry: [2, 2, 4, 4], author: { login: 'other' } },
    last,
    { className: 'dog', shape: 'CLASSIFICATION', geometry: null, author: { login: 'owner' } },
  ]);
});

test('a partial change says what is wrong with each part, and changes nothing', async () => {
  const first = await annotate(0, [box('cat')]);
  const [cat] = first.image.annotations.nodes;
  const elsewhere = (await annotate(1, [box('cat')])).image.annotations.nodes[0];
  const refused = async (input: object, ...path: string[]) =>
    expect(await change(0, input)).toMatchObject({
      __typename: 'ValidationError',
      problems: [{ path: ['input', ...path] }],
    });
  await refused({ remove: [elsewhere.id] }, 'remove', '0');
  await refused({ remove: [cat.id, cat.id] }, 'remove', '1');
  await refused(
    { change: [{ annotationId: cat.id, className: 'cow' }] },
    'change',
    '0',
    'className',
  );
  await refused(
    { change: [{ annotationId: cat.id, shape: 'POLYGON' }] },
    'change',
    '0',
    'geometry',
  );
  await refused({ add: [box('cat', 99_999)], remove: [cat.id] }, 'add', '0', 'geometry');
  expect(await change(0, { remove: [globalId('Image', 'x')] })).toMatchObject({
    __typename: 'NotFoundError',
  });
  expect(await change(0, {})).toMatchObject({
    image: { review: { version: 1 }, annotations: { totalCount: 1 } },
  });
});

test('annotations of many bytes are neither added without end nor all read at once', async () => {
  const { db } = app.services;
  await annotate(0, [box('cat')]);
  const [image = ''] = images;
  const first = await db.prisma.annotation.findFirstOrThrow({ where: { imageId: image } });
  // As if they had been added one by one, before the first: 150 MB.
  await db.rows(
    `INSERT INTO annotation (id, image_id, project_id, class_id, shape, geometry, created_at)
     SELECT gen_random_uuid(), image_id, project_id, class_id, 'MASK', to_jsonb(repeat('x', 30000000)), created_at - interval '1 s' FROM annotation, generate_series(1, 5) WHERE id = $1`,
    [first.id],
  );
  expect(await change(0, { add: [box('dog')] })).toMatchObject({
    problems: [
      {
        path: ['input', 'add'],
        message: 'the annotations of an image have at most 33554432 bytes',
      },
    ],
  });
  const message = 'The answer would be too large: ask for smaller pages, or for fewer of them';
  const tooLarge = [{ message, extensions: { code: 'COST_LIMIT_EXCEEDED' } }];
  const pages = (first: (index: number) => number): string =>
    [0, 1, 2].map((n) => `a${n}: annotations(first: ${first(n)}) { nodes { geometry } }`).join(' ');
  const refused = async (fields: string): Promise<void> =>
    expect(
      await app.gql(
        `query ($u: UUID!) { image(uuid: $u) { name ${fields} } }`,
        { u: image },
        app.tokens.owner,
      ),
    ).toEqual({ status: 200, errors: tooLarge, extensions: expect.anything() });
  // One page of 30 MB that is shown three times; from the second time on, the query is compiled.
  const shown = pages(() => 1);
  for (let time = 0; time < 3; time++) await refused(shown);
  const mutation = `mutation ($i: ReviewImageInput!) { reviewImage(input: $i) { ... on AnnotateImagePayload { image { ${shown} } } } }`;
  const input = { projectId: globalId('Project', project), ...at(0), state: 'REJECTED' };
  expect((await app.gql(mutation, { i: input }, app.tokens.owner)).errors).toEqual([
    {
      ...tooLarge[0],
      message: 'The mutation was done, but its answer is too large: ask for less in it',
    },
  ]);
  // Pages of 60, 90 and 120 MB that are read.
  await refused(pages((index) => index + 1));
  await db.prisma.annotation.deleteMany({
    where: { imageId: image, NOT: { id: first.id } },
  });
  const { data } = await app.gql(
    `query ($u: UUID!) { image(uuid: $u) { ${pages(() => 1)} } }`,
    { u: image },
    app.tokens.owner,
  );
  const page = { nodes: [{ geometry: [1, 1, 5, 5] }] };
  expect(data.image).toEqual({ a0: page, a1: page, a2: page });
}, 60_000);

test('images are found by state, class, annotator and assignee, page by page', async () => {
  await annotate(0, [box('cat')], {}, app.tokens.other);
  await annotate(1, [box('dog')]);
  await send('reviewImage', { ...at(1), state: 'REJECTED' });
  await send('assignImages', { login: 'OTHER', imageIds: [at(1).imageId, at(2).imageId] }, '');
  expect(await find({})).toEqual(['0.jpg', '1.jpg', '2.jpg']);
  expect(await find({ state: 'NONE' })).toEqual(['2.jpg']);
  expect(await find({ state: 'ANNOTATED' })).toEqual(['0.jpg']);
  expect(await find({ state: 'REJECTED', className: 'dog' })).toEqual(['1.jpg']);
  expect(await find({ className: 'cat' })).toEqual(['0.jpg']);
  expect(await find({ className: 'cow' })).toEqual([]);
  expect(await find({ annotator: 'other' })).toEqual(['0.jpg']);
  expect(await find({ assignee: 'other' })).toEqual(['1.jpg', '2.jpg']);
  expect(await find({ assignee: 'other', state: 'NONE' })).toEqual(['2.jpg']);
  expect(await find({ annotator: 'no\u0000body' })).toEqual([]);
  const apart = await app.project(workspace, undefined, 'Apart');
  expect(await find({ projectId: globalId('Project', apart) })).toEqual([]);
});

test('progress is counted, of the project and of each member', async () => {
  await send(
    'assignImages',
    {
      login: 'other',
      next: { datasetId: globalId('Dataset', dataset), count: 2 },
    },
    PARTS['assign'],
  );
  await annotate(0, [], {}, app.tokens.other);
  await annotate(2, [box('cat')]);
  await send('reviewImage', { ...at(2), state: 'ACCEPTED' });
  const { data } = await app.gql(
    'query ($u: UUID!) { project(uuid: $u) { progress { total none annotated accepted rejected } assignments { login displayName total none annotated accepted rejected } } }',
    { u: project },
    app.tokens.owner,
  );
  expect(data.project).toEqual({
    progress: { total: 3, none: 1, annotated: 1, accepted: 1, rejected: 0 },
    assignments: [
      {
        login: 'other',
        displayName: 'other',
        total: 2,
        none: 1,
        annotated: 1,
        accepted: 0,
        rejected: 0,
      },
    ],
  });
});

test('the next images are assigned once each, also by two calls at once', async () => {
  const next = { datasetId: globalId('Dataset', dataset), count: 2 };
  const answers = await Promise.all([
    send('assignImages', { login: 'other', next }, PARTS['assign']),
    send('assignImages', { login: 'owner', next }, PARTS['assign']),
  ]);
  expect(answers.map(({ assignedCount }) => assignedCount).sort()).toEqual([1, 2]);
  expect(await send('assignImages', { login: 'stranger', next }, PARTS['assign'])).toMatchObject({
    __typename: 'ValidationError',
    problems: [{ path: ['input', 'login'] }],
  });
  expect(await send('assignImages', { login: null }, PARTS['assign'])).toMatchObject({
    __typename: 'ValidationError',
  });
  expect(
    await send('assignImages', { login: null, imageIds: [at(0).imageId] }, PARTS['assign']),
  ).toMatchObject({ assignedCount: 1 });
  expect(await find({ assignee: 'owner' })).not.toContain('0.jpg');
  // An assignment is no change of the annotations.
  expect(await annotate(1, [box('cat')], { expectedVersion: 0 })).toMatchObject({
    image: { review: { version: 1 } },
  });
});

test('who leaves the workspace has nothing assigned any more, and annotates no more', async () => {
  await send('assignImages', { login: 'other', imageIds: [at(0).imageId] }, '');
  await app.gql(
    'mutation ($w: ID!) { removeWorkspaceMember(input: { workspaceId: $w, login: "other" }) { __typename } }',
    { w: globalId('Workspace', workspace) },
    app.tokens.owner,
  );
  expect(await find({ assignee: 'other' })).toEqual([]);
  expect(await annotate(0, [], {}, app.tokens.other)).toMatchObject({
    __typename: 'NotFoundError',
  });
});

test('a stream tells of changes of the project, and ends with the membership', async () => {
  const stream = await subscribeSse(
    app,
    app.tokens.other,
    'subscription ($p: ID!) { projectChanged(projectId: $p) { more project { name } images { name review(projectId: $p) { state version } } } }',
    { p: globalId('Project', project) },
  );
  await annotate(0, [box('cat')]);
  expect((await stream.until((results) => results.length > 0, 30_000))[0]).toMatchObject({
    data: {
      projectChanged: {
        more: false,
        project: { name: 'Project' },
        images: [{ name: '0.jpg', review: { state: 'ANNOTATED', version: 1 } }],
      },
    },
  });
  await app.gql(
    'mutation ($w: ID!) { removeWorkspaceMember(input: { workspaceId: $w, login: "other" }) { __typename } }',
    { w: globalId('Workspace', workspace) },
    app.tokens.owner,
  );
  expect((await stream.until((results) => results.length > 1, 30_000))[1]).toBe('complete');
});

test('a stream whose project is deleted while it reads a change ends', async () => {
  const { db } = app.services;
  const stream = await subscribeSse(
    app,
    app.tokens.owner,
    'subscription ($p: ID!) { projectChanged(projectId: $p) { project { name } } }',
    { p: globalId('Project', project) },
  );
  const restore = interceptRows(db, (run) => async (text, ...rest) => {
    const found = await run(text, ...rest);
    if (text.includes('r.changed_xid >=') && found.length > 0) {
      restore();
      await db.prisma.project.update({ where: { id: project }, data: { deletedAt: new Date() } });
    }
    return found;
  });
  await annotate(0, [box('cat')]);
  expect(await stream.until((results) => results.length > 0, 30_000)).toEqual(['complete']);
});

test('a stream has long geometries whole', async () => {
  const stream = await subscribeSse(
    app,
    app.tokens.other,
    'subscription ($p: ID!) { projectChanged(projectId: $p) { images { annotations { nodes { geometry } } } } }',
    { p: globalId('Project', project) },
  );
  const geometry = [Array.from({ length: 6_000 }, (_, n) => 1 + (n % 8) / 4)];
  await annotate(0, [{ className: 'cat', shape: 'POLYGON', geometry }]);
  const images = [{ annotations: { nodes: [{ geometry }] } }];
  expect((await stream.until((results) => results.length > 0, 30_000))[0]).toEqual({
    data: { projectChanged: { images } },
  });
  stream.close();
});

test('an annotator exports what is assigned to them, and no archive of before', async () => {
  await annotate(0, [box('cat')]);
  const before = await send(
    'exportProject',
    { filter: 'ALL' },
    '... on ExportProjectPayload { job { id } }',
  );
  await send('assignImages', { login: 'other', imageIds: [at(1).imageId] }, '');
  const { other } = app.tokens;
  const zip = await app.rest(`/api/Projects/export?projectId=${project}&dataFilter=All`, other);
  expect(zip.status).toBe(200);
  expect(zip.text).toContain('-1.jpg');
  expect(zip.text).not.toContain('-0.jpg');
  const own = await send(
    'exportProject',
    { filter: 'ALL' },
    '... on ExportProjectPayload { job { id } }',
    other,
  );
  const { prisma } = app.services.db;
  const uuidOf = (id: string): string => Buffer.from(id, 'base64').toString().split(':')[1] ?? '';
  expect(await prisma.exportJob.findUnique({ where: { id: uuidOf(own.job.id) } })).toMatchObject({
    assignedOnly: true,
  });
  // As if they had been a manager when they asked for it.
  const { id: ownerId } = await prisma.user.findUniqueOrThrow({ where: { login: 'other' } });
  await prisma.exportJob.update({ where: { id: uuidOf(before.job.id) }, data: { ownerId } });
  const seen = async (id: string): Promise<unknown> =>
    (await app.gql('query ($id: ID!) { node(id: $id) { id } }', { id }, other)).data.node;
  expect(await seen(before.job.id)).toBeNull();
  expect(await seen(own.job.id)).toEqual({ id: own.job.id });
});

test.each([
  [
    'numbers',
    '0, -0.0, 1.50, 0.1, -0.5, 0.000001, 0.0000001, 239.97, 12345678901234567890, 0.1234567890123456789, 1e400',
  ],
  ['keys that JavaScript puts first', '{"b": 1.0, "10": 2, "9": [true, null, false]}'],
  ['texts', '"a b: c, d", "\\"", "\\n", "é\u{1F600}", ""'],
])('a long value of JSON is answered the same in every way: %s', async (_, values) => {
  const bbox = { className: 'cat', shape: 'BBOX', geometry: [1, 2, 3, 4] };
  await send('annotateImage', { ...at(0), annotations: [bbox] });
  const long = `[${Array(1_000).fill(values).join(', ')}]`;
  await app.services.db.pool.query(
    'UPDATE annotation SET geometry = $1, attributes = $2 WHERE image_id = $3',
    [long, JSON.stringify({ short: 1.5 }), images[0]],
  );
  const query = `query ($i: UUID!) { image(uuid: $i) { annotations { nodes { geometry again: geometry attributes } } } }`;
  const variables = { i: images[0] };
  const headers = {
    'x-service-csrf-token-x': app.tokens.owner,
    'content-type': 'application/json',
  };
  const asked = new URLSearchParams({ query, variables: JSON.stringify(variables) });
  const answers = [await (await fetch(`${app.url}/graphql?${asked}`, { headers })).text()];
  for (let time = 0; time < 3; time++) {
    const body = JSON.stringify({ query, variables });
    const answer = await fetch(`${app.url}/graphql`, { method: 'POST', headers, body });
    answers.push(await answer.text());
  }
  const geometry = JSON.parse(long) as unknown;
  const nodes = [{ geometry, again: geometry, attributes: { short: 1.5 } }];
  expect(answers[0]).toContain(JSON.stringify({ image: { annotations: { nodes } } }));
  expect(new Set(answers).size).toBe(1);
});
