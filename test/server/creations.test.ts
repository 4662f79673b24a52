import { isInputObjectType, getNamedType, isUnionType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/server/graphql/schema/schema.ts';
import { startDatasetApp, type DatasetApp } from '../support/datasets.ts';
import { jpeg } from '../support/images.ts';

let app: DatasetApp;
let workspace: { id: string; uuid: string };
let dataset: { id: string; uuid: string };
let project: { id: string; uuid: string };
let photo: Buffer;
beforeAll(async () => {
  // A hundred calls at once take long where other tests run beside.
  app = await startDatasetApp('filesystem', { env: { REQUEST_TIMEOUT_MS: '120000' } });
  const uuid = await app.workspace();
  const datasetUuid = await app.dataset(uuid);
  const projectUuid = await app.project(uuid, datasetUuid);
  const { data } = await app.gql(
    'query ($w: UUID!, $d: UUID!, $p: UUID!) { workspace(uuid: $w) { id } dataset(uuid: $d) { id } project(uuid: $p) { id } }',
    { w: uuid, d: datasetUuid, p: projectUuid },
    app.tokens.owner,
  );
  workspace = { ...data.workspace, uuid };
  dataset = { ...data.dataset, uuid: datasetUuid };
  project = { ...data.project, uuid: projectUuid };
  photo = await jpeg();
});
afterAll(() => app.close());

/** Creations that take no key, with the reason. */
const exempt = new Map([
  ['issueApiKey', 'its answer is a secret that is never stored; the schema says so'],
  ['issueScimToken', 'its answer is a secret, too'],
]);
const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
const creations = mutations.filter(({ name }) =>
  /^(create|add|export|issue|make|import|upload|insert|new)/.test(name),
);

describe('D-78 every mutation that creates something', () => {
  it.each(creations.map(({ name }) => name))(
    '%s takes an idempotency key and tells a conflict',
    (name) => {
      const field = creations.find((one) => one.name === name)!;
      const input = getNamedType(field.args.find((argument) => argument.name === 'input')?.type);
      const result = getNamedType(field.type);
      const takesKey = isInputObjectType(input) && 'idempotencyKey' in input.getFields();
      const tells =
        isUnionType(result) && result.getTypes().some((type) => type.name === 'IdempotencyError');
      expect({ takesKey, tells }).toEqual(
        exempt.has(name) ? { takesKey: false, tells: false } : { takesKey: true, tells: true },
      );
      if (exempt.has(name)) expect(field.description).toContain('Accepts no idempotency key');
    },
  );
});

interface Case {
  mutation: string;
  /** What the payload tells of what was made. */
  select: string;
  input: () => Record<string, unknown>;
  /** The same input, but for one value. */
  other: object;
  /** How many there are of what it makes. */
  count: string;
}

const cases: Case[] = [
  {
    mutation: 'createWorkspace',
    select: 'workspace { uuid name }',
    input: () => ({ name: 'Once' }),
    other: { name: 'Twice' },
    count: `workspace WHERE name IN ('Once', 'Twice')`,
  },
  {
    mutation: 'addWorkspaceMember',
    select: 'member { login role }',
    input: () => ({ workspaceId: workspace.id, login: 'other', role: 'MANAGER' }),
    other: { role: 'OWNER' },
    count: `workspace_member m JOIN "user" u ON u.id = m.user_id WHERE u.login = 'other'`,
  },
  {
    mutation: 'createDataset',
    select: 'dataset { uuid name }',
    input: () => ({ workspaceId: workspace.id, name: 'Once', description: '' }),
    other: { description: 'other' },
    count: `dataset WHERE name = 'Once'`,
  },
  {
    mutation: 'createProject',
    select: 'project { uuid name }',
    input: () => ({ workspaceId: workspace.id, name: 'Once', description: '' }),
    other: { name: 'Twice' },
    count: `project WHERE name IN ('Once', 'Twice')`,
  },
  {
    mutation: 'addAnnotationClasses',
    select: 'classes { name color }',
    input: () => ({ projectId: project.id, classes: [{ name: 'once' }] }),
    other: { classes: [{ name: 'twice' }] },
    count: 'annotation_class',
  },
  {
    mutation: 'addImage',
    select: 'image { uuid name }',
    input: () => ({ datasetId: dataset.id, fileName: 'once.jpg', image: null }),
    other: { fileName: 'twice.jpg' },
    count: `image`,
  },
  {
    mutation: 'createDatasetVersion',
    select: 'version { uuid number }',
    input: () => ({ datasetId: dataset.id }),
    other: { name: 'other' },
    count: 'dataset_version',
  },
  {
    mutation: 'exportProject',
    select: 'job { id }',
    input: () => ({ projectId: project.id, filter: 'CONFIG_ONLY' }),
    other: { format: 'YOLO' },
    count: 'export_job',
  },
  {
    mutation: 'createCalendarSubscription',
    select: 'subscriptionId',
    input: () => ({ timeZone: 'Europe/Berlin' }),
    other: { timeZone: 'UTC' },
    count: 'calendar_subscription',
  },
];

/** Sends a creation; `addImage` with its file as a multipart request. */
async function send({ mutation, select }: Case, input: object, file = photo): Promise<any> {
  const type = `${mutation[0]!.toUpperCase()}${mutation.slice(1)}`;
  const query = `mutation ($input: ${type}Input!) { ${mutation}(input: $input) { __typename ... on ${type}Payload { replayed ${select} } ... on IdempotencyError { code retryAfterSeconds } ... on UserError { message } } }`;
  if (mutation !== 'addImage')
    return (await app.gql(query, { input }, app.tokens.owner)).data[mutation];
  const form = new FormData();
  form.set('operations', JSON.stringify({ query, variables: { input } }));
  form.set('map', '{"0":["variables.input.image"]}');
  form.set('0', new Blob([Uint8Array.from(file)]), 'f.jpg');
  return (
    await app.rest('/graphql', app.tokens.owner, {
      method: 'POST',
      body: form,
      headers: { 'graphql-require-preflight': '1' },
    })
  ).json['data'][mutation];
}

const countOf = async ({ count }: Case): Promise<number> =>
  Number((await app.services.db.rows(`SELECT count(*) FROM ${count}`, []))[0]?.[0]);

it('D-78 the cases below are all creations of users', () => {
  const tracker = ['createExternalTask', 'createTaskTemplates']; // test/task-tracker/idempotency.test.ts
  const accounts = ['createUser']; // test/accounts/change-users.test.ts
  const elsewhere = [...tracker, ...accounts];
  expect([...cases.map(({ mutation }) => mutation), ...elsewhere, ...exempt.keys()].sort()).toEqual(
    creations.map(({ name }) => name).sort(),
  );
});

describe.each(cases)('D-78 $mutation', (one) => {
  it('has one effect for 100 parallel calls with one key, and answers the same to all', async () => {
    const before = await countOf(one);
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => send(one, { ...one.input(), idempotencyKey: 'parallel' })),
    );
    expect(await countOf(one)).toBe(before + 1);
    const running = answers.filter(({ code }) => code === 'IDEMPOTENCY_KEY_RUNNING');
    for (const { retryAfterSeconds } of running) expect(retryAfterSeconds).toBe(1);
    const made = answers.filter(({ replayed }) => replayed !== undefined);
    expect(made.length + running.length).toBe(100);
    expect(made.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(made.map((answer) => JSON.stringify({ ...answer, replayed: null }))).size).toBe(
      1,
    );
    expect(await send(one, { ...one.input(), idempotencyKey: 'parallel' })).toEqual({
      ...made[0],
      replayed: true,
    });
  }, 120_000);

  it('refuses the key for another input, and takes another key or none', async () => {
    const before = await countOf(one);
    expect(
      await send(one, { ...one.input(), ...one.other, idempotencyKey: 'parallel' }),
    ).toMatchObject({
      __typename: 'IdempotencyError',
      code: 'IDEMPOTENCY_KEY_REUSED',
      retryAfterSeconds: null,
    });
    expect(await countOf(one)).toBe(before);
    expect(await send(one, { ...one.input(), idempotencyKey: '' })).toMatchObject({
      __typename: 'ValidationError',
    });
    expect(await send(one, { ...one.input(), idempotencyKey: 'another' })).toMatchObject({
      replayed: false,
    });
    expect(await send(one, one.input())).toMatchObject({ replayed: false });
  });
});

it('D-78 addImage refuses the key for other bytes, and leaves no object behind for a replay', async () => {
  const add = cases.find(({ mutation }) => mutation === 'addImage')!;
  const images = async (): Promise<string[]> =>
    (await app.objects()).filter((key) => !key.startsWith('exports/'));
  const objects = await images();
  expect(
    await send(add, { ...add.input(), idempotencyKey: 'parallel' }, await jpeg(401)),
  ).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  expect(await images()).toEqual(objects);
});

it('D-78 a replay of addImage is exempt from what happened since: the dataset was published', async () => {
  const add = cases.find(({ mutation }) => mutation === 'addImage')!;
  await app.data(app.post('/api/Datasets/publish', { datasetId: dataset.uuid }));
  expect(await send(add, { ...add.input(), idempotencyKey: 'parallel' })).toMatchObject({
    replayed: true,
    image: { name: 'once.jpg' },
  });
  expect(await send(add, { ...add.input(), idempotencyKey: 'late' })).toMatchObject({
    __typename: 'ForbiddenError',
  });
});

it('D-78 a replay of what was deleted since says so and makes nothing new', async () => {
  const create = cases.find(({ mutation }) => mutation === 'createWorkspace')!;
  const { workspace: made } = await send(create, { name: 'Gone', idempotencyKey: 'gone' });
  await app.data(app.post('/api/Workspaces/delete', { workspaceId: made.uuid }));
  expect(await send(create, { name: 'Gone', idempotencyKey: 'gone' })).toMatchObject({
    __typename: 'NotFoundError',
  });
});

it('D-78 the address of a calendar is shown once: a replay has none', async () => {
  const subscribe =
    'mutation { createCalendarSubscription(input: { idempotencyKey: "address" }) { ... on CreateCalendarSubscriptionPayload { icsUrl replayed } } }';
  const first = (await app.gql(subscribe, {}, app.tokens.owner)).data.createCalendarSubscription;
  expect(first).toEqual({
    icsUrl: expect.stringMatching(/\/calendar\/[\w-]{43}\.ics$/),
    replayed: false,
  });
  expect((await app.gql(subscribe, {}, app.tokens.owner)).data.createCalendarSubscription).toEqual({
    icsUrl: null,
    replayed: true,
  });
});

it('D-78 a key is that of its user', async () => {
  const query =
    'mutation { createWorkspace(input: { name: "Mine", idempotencyKey: "shared" }) { ... on CreateWorkspacePayload { replayed } } }';
  for (const token of [app.tokens.owner, app.tokens.other])
    expect((await app.gql(query, {}, token)).data.createWorkspace).toEqual({ replayed: false });
});
