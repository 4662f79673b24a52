import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  isUnionType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey } from '../../src/accounts/api-keys/create-api-key.ts';
import { hashToken } from '../../src/auth/tokens.ts';
import type { Route } from '../../src/core/rest/route.ts';
import { routes } from '../../src/server/routes/routes.ts';
import { schema } from '../../src/server/graphql/schema/schema.ts';
import { NOON } from '../support/app.ts';
import { startDatasetApp, type DatasetApp } from '../support/datasets.ts';
import { jpeg } from '../support/images.ts';
import { directoryOf, type Directory } from '../support/scim.ts';
import { subscribeSse } from '../support/streams.ts';

// Every operation × everybody who may not. What the victim has is named CANARY; no answer to anybody else may hold the word, and none may change a row of
// the victim. Calls are made from the schema and the route table; a new operation or argument without a value below fails.

const CANARY = 'CANARY';
const MISSING = '00000000-0000-7000-8000-000000000000';
let app: DatasetApp;
/** Of the victim, and of nobody. */
let own: Record<string, unknown>;
let missing: Record<string, unknown>;
let directory: Directory;
let keys: { victim: string; foe: string };
const globalId = (type: string, id: unknown): string =>
  Buffer.from(`${type}:${String(id)}`).toString('base64');

/** Values of arguments and input fields by their name, made of what the victim has. */
const valuesOf = (world: {
  feedKey: number;
  uuids: Record<string, string>;
  keyId: string;
  tokenId: string;
  deptId: number;
  subscriptionId: string;
  revokedCalendar: string;
  sessionId: string;
  userId: number;
  undoToken: string;
  cursor: string;
}): Record<string, unknown> => ({
  feedKey: world.feedKey,
  feedId: globalId('Feed', world.feedKey),
  feedIds: [globalId('Feed', world.feedKey)],
  feedKeys: [world.feedKey],
  id: globalId('Feed', world.feedKey),
  ids: [
    globalId('Feed', world.feedKey),
    ...Object.entries(world.uuids).map(([type, id]) => globalId(type, id)),
  ],
  workspaceId: globalId('Workspace', world.uuids['Workspace']),
  datasetId: globalId('Dataset', world.uuids['Dataset']),
  projectId: globalId('Project', world.uuids['Project']),
  imageId: globalId('DatasetImage', world.uuids['DatasetImage']),
  taskId: globalId('ExternalTask', world.uuids['ExternalTask']),
  keyId: world.keyId,
  tokenId: world.tokenId,
  subscriptionId: world.subscriptionId,
  undoToken: world.undoToken,
  after: world.cursor,
  first: 5,
  startDate: '2026-01-01',
  endDate: '2026-12-31',
  from: '2026-11-01',
  to: '2026-11-30',
  date: '2026-11-20',
  source: 'CALENDAR',
  type: 'M',
  month: 11,
  year: 2026,
  name: 'x',
  description: 'x',
  title: 'x',
  titles: ['x'],
  classes: [{ name: 'x' }, { name: 'y' }, { name: 'z' }],
  newName: undefined,
  deleteAnnotations: false,
  into: 'x',
  annotations: [],
  className: 'x',
  shape: 'BBOX',
  state: 'ACCEPTED',
  filter: undefined,
  format: undefined,
  logins: ['vera'],
  status: 'IN_PROGRESS',
  pinned: true,
  scope: 'USER',
  key: 'feed.list_limit',
  subject: 'vera',
  value: 3,
  note: 'x',
  forEveryone: false,
  customerId: 'shop',
  checksum: 'zGt6+Kn+qwZt83zFkcdBf/k8w74GG7EZWNtZDJ/3mYE=',
  newChecksum: 'jt4NmLr/fMtc9+n13pQIKrlVU8IJQJ/ohY8DFnpekF0=',
  forgetDeleted: false,
  imageUuid: undefined,
  keyNumber: undefined,
  proof: undefined,
  replacesSha256: undefined,
  login: 'vera',
  password: 'wrong',
  oldPassword: 'right of vera',
  newPassword: 'a new one, number 7',
  idToken: 'a.b.c',
  fileName: 'x.jpg',
  image: 'UPLOAD',
  uuid: undefined,
  versionId: globalId('DatasetVersion', world.uuids['DatasetVersion']),
  version: undefined,
  notes: CANARY,
  number: 1,
  jobId: globalId('ExportJob', world.uuids['ExportJob']),
  url: '/task/v1/feeds/list',
  method: undefined,
  body: undefined,
  days: 30,
  search: 'mate',
  disabled: undefined,
  role: 'DEVELOPER',
  sessionId: world.sessionId,
  userId: globalId('User', world.userId),
});
/** Where a name means different things. */
const special: Record<string, Record<string, (world: typeof worlds.own) => unknown>> = {
  dataset: { uuid: (world) => world.uuids['Dataset'] },
  image: { uuid: (world) => world.uuids['DatasetImage'] },
  project: { uuid: (world) => world.uuids['Project'] },
  workspace: { uuid: (world) => world.uuids['Workspace'] },
  assignImages: { imageIds: (world) => [globalId('DatasetImage', world.uuids['DatasetImage'])] },
  mergeAnnotationClasses: { from: () => ['y'] },
  removeAnnotationClass: { name: () => 'z' },
  addWorkspaceMember: { login: () => 'mate' },
  changeWorkspaceMember: { login: () => 'mate' },
  removeWorkspaceMember: { login: () => 'mate' },
  leadershipCalendar: { type: () => 'MONTHLY' },
  exportProject: { filter: () => 'ALL', format: () => 'NATIVE' },
  cancelAnnotationImport: {
    jobId: ({ uuids }) => globalId('AnnotationImport', uuids['AnnotationImport']),
  },
  annotationImportChanged: {
    jobId: ({ uuids }) => globalId('AnnotationImport', uuids['AnnotationImport']),
  },
  legacyUsage: { after: () => undefined },
  auditLog: { after: () => undefined },
  taskTemplates: { after: () => undefined },
  sessions: { after: () => undefined },
  users: { after: () => undefined },
  workspaces: { after: () => undefined },
  unassignedExternalTasks: { after: () => undefined },
  unassignedExternalTasksChanged: { after: () => undefined },
  feedChanges: { after: () => undefined },
  feedChanged: { after: () => undefined },
};
type World = Parameters<typeof valuesOf>[0];
const worlds = {} as { own: World; missing: World };

beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  statement = await rowsStatement();
  const person = { record: 'user', domain: 'one' };
  await app.load([
    {
      ...person,
      login: 'vera',
      password: 'right of vera',
      permissions: ['SUPERVISOR', 'DOMAIN_ADMIN'],
    },
    { ...person, login: 'low' },
    { record: 'dept', domain: 'one', name: `${CANARY} dept` },
    { ...person, login: 'mate', display_name: `${CANARY} mate` },
    { record: 'user', domain: 'two', login: 'boss', permissions: ['SUPERVISOR', 'DOMAIN_ADMIN'] },
    {
      feed_key: 777_777,
      domain: 'one',
      kind: 'MESSAGE',
      feed_title: `${CANARY} feed`,
      owner: 'vera',
      start_date_time: '2026-11-19T00:00:00Z',
      end_date_time: '2026-11-30T00:00:00Z',
    },
    {
      feed_key: 78,
      domain: 'one',
      kind: 'PROJECT',
      feed_title: `${CANARY} project`,
      owner: 'vera',
      start_date_time: '2026-11-19T00:00:00Z',
      end_date_time: '2026-11-30T00:00:00Z',
    },
  ]);
  const vera = await app.signedIn('vera');
  const { db } = app.services;
  const domains = Object.fromEntries(
    (await db.prisma.domain.findMany()).map(({ name, id }) => [name, id]),
  );
  keys = {
    victim: (
      await createApiKey(app.services, {
        customerId: 'shop',
        domainId: domains['one']!,
      })
    ).key,
    foe: (
      await createApiKey(app.services, {
        customerId: 'foe',
        domainId: domains['two']!,
      })
    ).key,
  };
  await directoryOf(app, 'one');
  directory = await directoryOf(app, 'two');
  const make = async (path: string, body: object): Promise<string> =>
    app.data(app.post(path, body, vera));
  const Workspace = await make('/api/Workspaces/create', { name: `${CANARY} workspace` });
  const Dataset = await make('/api/Datasets/create', {
    workspaceId: Workspace,
    name: `${CANARY} dataset`,
    description: CANARY,
  });
  const gone = await make('/api/Datasets/create', {
    workspaceId: Workspace,
    name: `${CANARY} deleted`,
    description: CANARY,
  });
  const DatasetImage = await app.data(
    app.upload({ DatasetId: Dataset, FileName: `${CANARY}.jpg`, Image: await jpeg(40, 30) }, vera),
  );
  const input = async (
    field: string,
    type: string,
    value: object,
    selection: string,
  ): Promise<any> => {
    const answer = await app.gql(
      `mutation ($input: ${type}!) { ${field}(input: $input) { __typename ${selection} } }`,
      { input: value },
      vera,
    );
    expect([field, answer.errors]).toEqual([field, undefined]);
    return answer.data[field];
  };
  const { project } = await input(
    'createProject',
    'CreateProjectInput',
    {
      workspaceId: globalId('Workspace', Workspace),
      name: `${CANARY} project`,
      description: CANARY,
    },
    '... on CreateProjectPayload { project { id uuid } }',
  );
  await input(
    'assignDatasetToProject',
    'ProjectDatasetInput',
    { projectId: project.id, datasetId: globalId('Dataset', Dataset) },
    '',
  );
  const job = await input(
    'exportProject',
    'ExportProjectInput',
    { projectId: project.id, filter: 'ALL' },
    '... on ExportProjectPayload { job { id } }',
  );
  const labels = new FormData();
  labels.set('projectId', project.uuid);
  labels.set('DryRun', 'true');
  labels.set(
    'File',
    new Blob([`{"categories":[],"images":[{"id":1,"file_name":"${CANARY}"}],"annotations":[]}`]),
  );
  const imported = await app.rest('/api/Projects/importAnnotations', vera, {
    method: 'POST',
    body: labels,
  });
  const { version } = await input(
    'createDatasetVersion',
    'CreateDatasetVersionInput',
    { datasetId: globalId('Dataset', Dataset), name: CANARY },
    '... on CreateDatasetVersionPayload { version { uuid } }',
  );
  const { undoToken } = await input(
    'deleteDataset',
    'DatasetIdInput',
    { datasetId: globalId('Dataset', gone) },
    '... on DeletePayload { undoToken }',
  );
  const subscribe = (): Promise<{ subscriptionId: string; icsUrl: string }> =>
    input(
      'createCalendarSubscription',
      'CreateCalendarSubscriptionInput',
      {},
      '... on CreateCalendarSubscriptionPayload { subscriptionId icsUrl }',
    );
  const { subscriptionId } = await subscribe();
  const revoked = await subscribe();
  const revokedCalendar = /calendar\/(.*)\.ics/.exec(revoked.icsUrl)?.[1] ?? '';
  expect((await app.rest(`/calendar/${revokedCalendar}.ics`)).text).toContain(CANARY);
  await input(
    'revokeCalendarSubscription',
    'RevokeCalendarSubscriptionInput',
    { subscriptionId: revoked.subscriptionId },
    '',
  );
  await input('setCalendarNote', 'SetCalendarNoteInput', { date: '2026-11-20', note: CANARY }, '');
  await input(
    'setMonthlyNote',
    'SetMonthlyNoteInput',
    { month: 11, year: 2026, note: CANARY, forEveryone: false },
    '',
  );
  const byKey = { 'content-type': 'application/json', 'API-Key': keys.victim, customerId: 'shop' };
  const task = await app.rest('/api/task-tracker-external/tasks', undefined, {
    method: 'POST',
    headers: byKey,
    body: JSON.stringify({ name: `${CANARY} task` }),
  });
  await app.rest('/api/task-tracker-external/tasks/title/templates', undefined, {
    method: 'POST',
    headers: byKey,
    body: JSON.stringify([`${CANARY} template`]),
  });
  const template = await db.prisma.taskTemplate.findFirstOrThrow();
  const apiKeys = await app.gql(
    '{ viewer { apiKeys { id customerId } scimTokens { id } feeds(first: 1) { pageInfo { endCursor } } } }',
    {},
    vera,
  );
  const { data: ended } = await app.gql(
    '{ viewer { sessions(first: 1) { nodes { id: sessionId } } } }',
    {},
    await app.signedIn('vera'),
  );
  const dept = await db.prisma.dept.findFirstOrThrow({ where: { domain: { name: 'one' } } });
  const mate = await db.prisma.user.findUniqueOrThrow({ where: { login: 'mate' } });
  const decoded = Buffer.from(job.job.id, 'base64').toString().split(':')[1]!;
  worlds.own = {
    // With more digits than ports have, which are in links.
    feedKey: 777_777,
    keyId: apiKeys.data.viewer.apiKeys[0].id,
    tokenId: apiKeys.data.viewer.scimTokens[0].id,
    deptId: dept.id,
    subscriptionId,
    revokedCalendar,
    sessionId: ended.viewer.sessions.nodes[0].id,
    userId: mate.id,
    undoToken,
    cursor: apiKeys.data.viewer.feeds.pageInfo.endCursor,
    uuids: {
      Workspace,
      Dataset,
      DatasetImage,
      Project: project.uuid,
      ExportJob: decoded,
      AnnotationImport: String(imported.json['data']),
      DatasetVersion: version.uuid,
      ExternalTask: String(task.json['id']),
      TaskTemplate: template.id,
    },
  };
  while ((await app.rest(`/exports/${decoded}`, vera)).status !== 200)
    await new Promise((resolve) => setTimeout(resolve, 50));
  // Jobs run in turn: when this one does, the import has ended.
  await new Promise<void>((resolve) => app.services.background(() => Promise.resolve(resolve())));
  worlds.missing = {
    ...worlds.own,
    feedKey: 999_999,
    keyId: MISSING,
    tokenId: MISSING,
    deptId: 999_999,
    subscriptionId: MISSING,
    revokedCalendar: 'A'.repeat(43),
    sessionId: MISSING,
    userId: 999_999,
    undoToken: `${undoToken.slice(0, -2)}xx`,
    uuids: Object.fromEntries(Object.keys(worlds.own.uuids).map((type) => [type, MISSING])),
  };
  own = valuesOf(worlds.own);
  missing = valuesOf(worlds.missing);
});
afterAll(() => app.close());

/** A value of the type: what the tables say, and only what is required of the rest. Throws for a required name that they don't know. */
function valueOf(
  operation: string,
  name: string,
  type: GraphQLInputType,
  world: World,
  required: boolean,
): unknown {
  const nullable = isNonNullType(type) ? type.ofType : type;
  const values = world === worlds.own ? own : missing;
  const isSpecial = special[operation] !== undefined && Object.hasOwn(special[operation], name);
  if (isInputObjectType(nullable) && name === 'input') {
    return Object.fromEntries(
      Object.values(nullable.getFields()).flatMap((field) => {
        const value = valueOf(
          operation,
          field.name,
          field.type,
          world,
          isRequiredInputField(field),
        );
        return value === undefined ? [] : [[field.name, value]];
      }),
    );
  }
  const value = isSpecial ? special[operation]![name]!(world) : values[name];
  if (value === undefined && required)
    throw new Error(`the access matrix has no value for ${operation}.${name}`);
  if (
    !required &&
    !isSpecial &&
    (isInputObjectType(nullable) || isEnumType(nullable) || isListType(nullable))
  )
    return undefined;
  return value;
}

/** All that a type shows, two objects deep. */
function selection(type: GraphQLOutputType, depth = 3): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  if (isUnionType(named))
    return `{ __typename ${named
      .getTypes()
      .map((member) => `... on ${member.name} ${selection(member, depth)}`)
      .join(' ')} }`;
  if (!isObjectType(named))
    return `{ __typename ... on Node { id } ${schema
      .getPossibleTypes(named as never)
      .map((member) => `... on ${member.name} { ${leaves(member as never, true)} }`)
      .join(' ')} }`;
  const below =
    depth === 0
      ? ''
      : Object.values(named.getFields())
          .filter(
            (field) =>
              !isLeafType(getNamedType(field.type)) &&
              field.args.every((arg) => !isNonNullType(arg.type)) &&
              isObjectType(getNamedType(field.type)) &&
              /^(nodes|feed|image|dataset|project|workspace|task|job|feeds|rows|notes|results|projects|walks)$/.test(
                field.name,
              ),
          )
          .map(
            (field) =>
              `${field.name}${isListField(field) ? '(first: 3)' : ''} ${selection(field.type, depth - 1)}`,
          );
  return `{ __typename ${leaves(named as never)} ${below === '' ? '' : below.join(' ')} }`;
}
const isListField = (field: GraphQLField<unknown, unknown>): boolean =>
  field.args.some(({ name }) => name === 'first');
/** Aliased by their type, for fields of the same name need not have the same type in a union. */
const leaves = (
  type: { name: string; getFields(): Record<string, GraphQLField<unknown, unknown>> },
  aliased = false,
): string =>
  Object.values(type.getFields())
    .filter(
      (field) =>
        isLeafType(getNamedType(field.type)) && field.args.every((arg) => !isNonNullType(arg.type)),
    )
    .filter(({ name }) => !aliased || /^(name|feedTitle|title|description|fileName)$/.test(name))
    .slice(0, 30)
    .map((field) =>
      /Error$/.test(type.name) && field.name !== 'message'
        ? ''
        : aliased
          ? `${type.name}_${field.name}: ${field.name}`
          : field.name,
    )
    .join(' ') || '__typename';

interface Operation {
  kind: 'Query' | 'Viewer' | 'Mutation' | 'Subscription';
  field: GraphQLField<unknown, unknown>;
}
const operations: Operation[] = (['Query', 'Viewer', 'Mutation', 'Subscription'] as const).flatMap(
  (kind) =>
    Object.values(
      (
        schema.getType(kind) as unknown as {
          getFields(): Record<string, GraphQLField<unknown, unknown>>;
        }
      ).getFields(),
    ).map((field) => ({ kind, field })),
);

function documentOf(
  { kind, field }: Operation,
  world: World,
): { query: string; variables: Record<string, unknown> } {
  const given = field.args.flatMap((arg) => {
    const value = valueOf(field.name, arg.name, arg.type, world, isNonNullType(arg.type));
    return value === undefined ? [] : [{ name: arg.name, type: String(arg.type), value }];
  });
  const call = `${field.name}${given.length > 0 ? `(${given.map(({ name }) => `${name}: $${name}`).join(', ')})` : ''} ${selection(field.type)}`;
  const declared =
    given.length > 0 ? `(${given.map(({ name, type }) => `$${name}: ${type}`).join(', ')})` : '';
  const text =
    kind === 'Viewer'
      ? `query${declared} { viewer { ${call} } }`
      : `${kind.toLowerCase()}${declared} { ${call} }`;
  return {
    query: text,
    variables: Object.fromEntries(given.map(({ name, value }) => [name, value])),
  };
}

/** Sends it as GraphQL clients do; the mutation with a file as a form. */
async function send(
  document: { query: string; variables: Record<string, unknown> },
  token?: string,
  headers: Record<string, string> = {},
): Promise<any> {
  const text = JSON.stringify(document);
  if (!text.includes('"UPLOAD"'))
    return (
      await app.rest('/graphql', token, {
        method: 'POST',
        body: text,
        headers: { 'content-type': 'application/json', ...headers },
      })
    ).json;
  const form = new FormData();
  form.set('operations', text.replace('"UPLOAD"', 'null'));
  form.set('map', JSON.stringify({ 0: ['variables.input.image'] }));
  form.set('0', new Blob([Uint8Array.from(await jpeg(40, 30))]), 'x.jpg');
  return (
    await app.rest('/graphql', token, {
      method: 'POST',
      body: form,
      headers: { 'x-requested-with': 'x', ...headers },
    })
  ).json;
}

/** Reads the rows of all tables that are not about sessions and counters: one statement, for it runs after each test. */
async function rowsStatement(): Promise<string> {
  const tables = await app.services.db.rows(
    `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name NOT IN ('session', 'rate_limit', 'api_key', '_prisma_migrations', '_migration_steps', 'background_job')`,
    [],
  );
  const parts = tables.map(
    ([table]) => `SELECT '${table} ' || t::text FROM "${table}" t WHERE t::text LIKE '%${CANARY}%'`,
  );
  return `${parts.join(' UNION ALL ')} ORDER BY 1`;
}

let statement: string;
/** As the last test left them. */
let rows = '';
async function rowsOf(): Promise<string> {
  return (await app.services.db.rows(statement, [])).map(([row]) => row).join('\n');
}

/** What one test changed fails it alone. */
async function expectSameRows(): Promise<void> {
  const before = rows;
  rows = await rowsOf();
  expect(rows).toBe(before);
}

const strangers: Record<
  string,
  () => Promise<{ token?: string; headers?: Record<string, string> }>
> = {
  anonymous: async () => ({}),
  'an unknown token': async () => ({ token: 'A'.repeat(43) }),
  'a revoked session': async () => {
    const token = await app.signedIn('vera');
    await app.rest('/session', token, { method: 'DELETE' });
    return { token };
  },
  'an expired session': async () => {
    const token = await app.signedIn('vera');
    await app.services.db.rows('UPDATE session SET expires_at = $2 WHERE token_hash = $1', [
      Buffer.from(hashToken(token)),
      new Date(NOON - 1).toISOString(),
    ]);
    return { token };
  },
  'a user of another domain': async () => ({ token: await app.signedIn('stranger') }),
  'an administrator of another domain': async () => ({ token: await app.signedIn('boss') }),
  'a colleague without a role': async () => ({ token: await app.signedIn('low') }),
  'the key of another customer': async () => ({
    headers: { 'API-Key': keys.foe, customerId: 'foe' },
  }),
  'the directory of another domain': async () => ({
    headers: { authorization: `Bearer ${directory.token}` },
  }),
  "the key of another customer under the victim's name": async () => ({
    headers: { 'API-Key': keys.foe, customerId: 'shop' },
  }),
};
const withoutSession = new Set([
  'anonymous',
  'an unknown token',
  'a revoked session',
  'an expired session',
  'the directory of another domain',
  "the key of another customer under the victim's name",
]);
/** Needs no session; the fields that answer anybody with null, as for what is missing. */
const open = new Set(['errorCatalogue', 'signIn', 'signInWithToken', 'translateLegacyRequest']);

describe.each(Object.entries(strangers))('%s', (who, arrive) => {
  beforeAll(async () => void (rows = await rowsOf()));

  it.each(
    operations.map(
      (operation) => [`${operation.kind}.${operation.field.name}`, operation] as const,
    ),
  )('learns and changes nothing by %s', async (_, operation) => {
    const { token, headers } = await arrive();
    if (operation.kind === 'Subscription') {
      const { query, variables } = documentOf(operation, worlds.own);
      const answer = token
        ? await subscribeSse(app, token, query, variables).then(async (stream) => {
            await new Promise((resolve) => setTimeout(resolve, 150));
            stream.close();
            return stream.results;
          })
        : await send({ query, variables }, token, headers);
      expect(JSON.stringify(answer)).not.toContain(CANARY);
      return;
    }
    const answer = await send(documentOf(operation, worlds.own), token, headers);
    const text = JSON.stringify(answer);
    // Templates are the domain's: they are what its people name tasks by.
    expect(
      who === 'a colleague without a role' ? text.replaceAll(`${CANARY} template`, '') : text,
    ).not.toContain(CANARY);
    expect(JSON.stringify(answer.errors ?? [])).not.toContain('INTERNAL_SERVER_ERROR');
    await expectSameRows();
    if (withoutSession.has(who) && !open.has(operation.field.name))
      expect(answer.errors?.[0].extensions.code).toBe('UNAUTHENTICATED');
    const { token: again, headers: headersAgain } = await arrive();
    const ofNothing = JSON.stringify(
      await send(documentOf(operation, worlds.missing), again, headersAgain),
    );
    const strip = (json: string, world: World): string =>
      [
        ...Object.entries(world.uuids).flatMap(([type, id]) => [id, globalId(type, id)]),
        globalId('Feed', world.feedKey),
        String(world.feedKey),
        world.sessionId,
        globalId('User', world.userId),
      ]
        .reduce((all, id) => all.replaceAll(id, '#'), json)
        .replace(
          /"(id|token|expiresAt|changeCursor|createdAt|uuid|icsUrl|subscriptionId|endCursor|startCursor|cursor|key|prefix|lastFetchTime|jobId|undoToken|lastUsedAt|deletedId|notesId)":("[^"]*"|\d+|null)/g,
          '"$1":"#"',
        );
    if (
      !(who === 'a colleague without a role' && operation.field.name === 'nodes') &&
      !/^(auditLog|create|issue|set(Calendar|Monthly)Note|setConfiguration|sessions|signOut|signIn)/.test(
        operation.field.name,
      )
    )
      expect(strip(ofNothing, worlds.missing)).toBe(strip(text, worlds.own));
  });
});

it('an annotator of the workspace sees it, and of all that changes it may annotate and export what is assigned, and nothing else', async () => {
  const { uuids } = worlds.own;
  await app.load([{ record: 'user', domain: 'one', login: 'annie' }]);
  await app.member(uuids['Workspace'] ?? '', 'annie', 'ANNOTATOR');
  const annie = await app.signedIn('annie');
  const answers: Record<string, string> = {};
  const before = (await rowsOf()).replace(/^annotation .*$/gm, '');
  for (const operation of operations.filter(
    ({ kind, field }) =>
      kind === 'Mutation' &&
      JSON.stringify(documentOf({ kind, field }, worlds.own)).match(
        /"(workspaceId|datasetId|projectId|imageId|undoToken)":/,
      ),
  )) {
    const { data } = await send(documentOf(operation, worlds.own), annie);
    answers[operation.field.name] = data[operation.field.name].__typename;
  }
  expect((await rowsOf()).replace(/^annotation .*$/gm, '')).toBe(before);
  const allowed = Object.entries(answers).filter(([, type]) => type !== 'ForbiddenError');
  // A key is checked by whoever works with it; a deletion is there only for who may undo it.
  expect(Object.fromEntries(allowed)).toEqual({
    annotateImage: 'AnnotateImagePayload',
    changeAnnotations: 'AnnotateImagePayload',
    exportProject: 'ExportProjectPayload',
    undoDelete: 'NotFoundError',
    verifyWorkspaceKey: 'VerifyWorkspaceKeyPayload',
  });
  expect(Object.keys(answers).length).toBeGreaterThan(15);
});

it('the victim gets all of it: the calls are good ones', async () => {
  const refused: string[] = [];
  for (const operation of operations.filter(
    ({ kind, field }) =>
      kind !== 'Subscription' &&
      !/^(delete|undo|revoke|changePassword|createUser|signOut|signIn|enable|verify|publish|taskTemplates|changeFeedStatus|assignExternalTask|setConfiguration|createTaskTemplates|issueApiKey|issueScimToken|createExternalTask)/.test(
        field.name,
      ),
  )) {
    const answer = await send(documentOf(operation, worlds.own), await app.signedIn('vera'));
    if (
      answer.errors ||
      /"__typename":"(NotFoundError|ForbiddenError|ValidationError)"/.test(
        JSON.stringify(answer.data),
      )
    )
      refused.push(`${operation.field.name} ${JSON.stringify(answer).slice(0, 300)}`);
  }
  expect(refused).toEqual([]);
});

interface Call {
  path: string;
  body?: object;
}

/** Every path, asked for what the victim has. */
const requests: Record<string, (ids: World['uuids'], world: World) => Call | Call[]> = {
  signIn: () => ({ path: '/session', body: { login: 'vera', password: 'wrong' } }),
  signOut: () => ({ path: '/session' }),
  listConfiguration: () => ({ path: '/task/v1/config/list' }),
  readCalendar: () => ({
    path: '/task/v1/calendar?source_id=CALENDAR&from_date=20261101&to_date=20261130',
  }),
  readCalendarLegacy: () => ({
    path: '/service/rtm/getCalendarData?source_id=CALENDAR&from_date=20261101&to_date=20261130',
    body: { user_id: 1 },
  }),
  readSubscribedCalendar: (_, { revokedCalendar }) => ({
    path: `/calendar/${revokedCalendar}.ics`,
  }),
  retrieveFeeds: (_, { feedKey, cursor }) => [
    { path: `/task/v1/feeds/list-latest?feed_keys=${feedKey}&domain_id=1&user_id=1` },
    { path: '/task/v1/feeds/list-latest?from_time=0&view_type=SV' },
    { path: `/task/v1/feeds/list?feed_title=${CANARY}&domain_id=1&user_id=1&view_type=SV` },
    { path: `/task/v1/feeds/list?starting_after=${cursor}` },
    { path: `/task/v1/feeds/list?ending_before=${cursor}&view_type=SV` },
    {
      path: `/task/v1/feeds/count?start_date=20261101&end_date=20261231&feed_title=${CANARY}&domain_id=1&view_type=SV`,
    },
  ],
  listTasks: () => ({ path: '/task/v1/feeds/list/tasks?domain_id=1&user_id=1&view_type=SV' }),
  readLeadershipCalendar: () => ({
    path: '/task/v1/calendar/leadership?cal_type=M&month_no=11&year=2026',
  }),
  readLeadershipCalendarLegacy: () => ({
    path: '/service/execute/getLeadershipCalendarData?cal_type=M&month_no=11&year=2026',
    body: {},
  }),
  suggestFeedDates: (_, { feedKey }) => ({
    path: `/task/v1/actions/${feedKey}/suggested-date`,
    body: { sugg_start_date_val: '20261201' },
  }),
  listWorkspaces: () => ({ path: '/api/Workspaces' }),
  createWorkspace: () => ({ path: '/api/Workspaces/create', body: { name: 'x' } }),
  deleteWorkspace: (ids) => ({
    path: '/api/Workspaces/delete',
    body: { workspaceId: ids['Workspace'] },
  }),
  enableEncryption: (ids) => ({
    path: '/api/Workspaces/enableEncryption',
    body: { workspaceId: ids['Workspace'], checksum: 'A'.repeat(44) },
  }),
  listDatasets: (ids) => ({ path: `/api/Datasets?workspaceId=${ids['Workspace']}` }),
  createDataset: (ids) => ({
    path: '/api/Datasets/create',
    body: { workspaceId: ids['Workspace'], name: 'x', description: 'x' },
  }),
  updateDataset: (ids) => ({
    path: '/api/Datasets/update',
    body: { datasetId: ids['Dataset'], name: 'x', description: 'x' },
  }),
  deleteDataset: (ids) => ({ path: '/api/Datasets/delete', body: { datasetId: ids['Dataset'] } }),
  publishDataset: (ids) => ({ path: '/api/Datasets/publish', body: { datasetId: ids['Dataset'] } }),
  listImages: (ids) => ({
    path: `/api/Datasets/images?DatasetId=${ids['Dataset']}&PageSize=10&PageNumber=1`,
  }),
  addImage: (ids) => ({
    path: '/api/Images/addImage',
    body: { form: { DatasetId: ids['Dataset'], FileName: 'x.jpg' } },
  }),
  deleteImage: (ids) => ({ path: '/api/Images/delete', body: { imageId: ids['DatasetImage'] } }),
  downloadImage: (ids) => ({ path: `/api/Images/download?imageId=${ids['DatasetImage']}` }),
  downloadThumbnail: (ids) => ({
    path: `/api/Images/downloadThumb?imageId=${ids['DatasetImage']}`,
  }),
  listProjects: (ids) => ({ path: `/api/Projects?workspaceId=${ids['Workspace']}` }),
  assignDatasetToProject: (ids) => ({
    path: '/api/Projects/AssignDataset',
    body: { projectId: ids['Project'], datasetId: ids['Dataset'] },
  }),
  unassignDatasetFromProject: (ids) => ({
    path: '/api/Projects/UnlinkDataset',
    body: { projectId: ids['Project'], datasetId: ids['Dataset'] },
  }),
  exportProject: (ids) => ({
    path: `/api/Projects/export?projectId=${ids['Project']}&dataFilter=All`,
  }),
  importAnnotations: (ids) => ({
    path: '/api/Projects/importAnnotations',
    body: { form: { projectId: ids['Project'] } },
  }),
  readVersionManifest: (ids) => ({
    path: `/dataset-versions/${ids['DatasetVersion']}/manifest`,
  }),
  downloadExport: (ids) => ({ path: `/exports/${ids['ExportJob']}` }),
  createTaskTemplates: () => ({
    path: '/api/task-tracker-external/tasks/title/templates',
    body: ['x'],
  }),
  createExternalTask: () => ({ path: '/api/task-tracker-external/tasks', body: { name: 'x' } }),
  describeScim: () => ({ path: '/scim/v2/ServiceProviderConfig' }),
  listScimSchemas: () => ({ path: '/scim/v2/Schemas' }),
  readScimSchema: () => ({ path: '/scim/v2/Schemas/urn:ietf:params:scim:schemas:core:2.0:User' }),
  listScimResourceTypes: () => ({ path: '/scim/v2/ResourceTypes' }),
  readScimResourceType: () => ({ path: '/scim/v2/ResourceTypes/User' }),
  listScimUsers: (_, { userId }) => [
    { path: '/scim/v2/Users?count=200&domain_id=1' },
    { path: `/scim/v2/Users?filter=${encodeURIComponent(`id eq "${userId}"`)}` },
  ],
  createScimUser: () => ({ path: '/scim/v2/Users', body: { userName: 'vera' } }),
  readScimUser: (_, { userId }) => ({ path: `/scim/v2/Users/${userId}` }),
  replaceScimUser: (_, { userId }) => ({
    path: `/scim/v2/Users/${userId}`,
    body: { userName: 'other', active: false },
  }),
  patchScimUser: (_, { userId }) => ({
    path: `/scim/v2/Users/${userId}`,
    body: { Operations: [{ op: 'replace', value: { active: false } }] },
  }),
  deleteScimUser: (_, { userId }) => ({ path: `/scim/v2/Users/${userId}` }),
  listScimGroups: () => ({ path: '/scim/v2/Groups?count=200&domain_id=1' }),
  createScimGroup: (_, { userId }) => ({
    path: '/scim/v2/Groups',
    body: { displayName: '', members: [{ value: String(userId) }] },
  }),
  readScimGroup: (_, { deptId }) => ({ path: `/scim/v2/Groups/${deptId}` }),
  replaceScimGroup: (_, { deptId }) => ({
    path: `/scim/v2/Groups/${deptId}`,
    body: { displayName: 'Other', members: [] },
  }),
  patchScimGroup: (_, { deptId }) => ({
    path: `/scim/v2/Groups/${deptId}`,
    body: { Operations: [{ op: 'replace', path: 'members', value: [] }] },
  }),
  deleteScimGroup: (_, { deptId }) => ({ path: `/scim/v2/Groups/${deptId}` }),
  getExternalTask: (ids) => ({ path: `/api/task-tracker-external/tasks/${ids['ExternalTask']}` }),
};

interface Answer {
  statuses: number[];
  text: string;
  types: string;
  headers: string;
}

/** Headers that differ from one answer to the next. */
const passing =
  /^(date|x-request-id|content-length|server-timing|(x-)?ratelimit-.*|retry-after|x-last-fetch-time|x-resume-cursor|location)$/;

async function call(
  route: Route,
  world: World,
  { token, headers }: { token?: string; headers?: Record<string, string> },
): Promise<Answer> {
  const make = requests[route.operation];
  if (!make) throw new Error(`the access matrix has no row for ${route.operation}`);
  const all: Answer = { statuses: [], text: '', types: '', headers: '' };
  for (const { path, body } of [make(world.uuids, world)].flat()) {
    const form = (body as { form?: Record<string, string> } | undefined)?.form;
    const data = form ? new FormData() : undefined;
    for (const [name, value] of Object.entries(form ?? {})) data?.set(name, value);
    data?.set('Image', new Blob([Uint8Array.from(await jpeg(40, 30))]));
    const init: RequestInit = {
      method: route.method,
      headers: { ...headers, ...(body && !data && { 'content-type': 'application/json' }) },
      ...(body && { body: data ?? JSON.stringify(body) }),
    };
    const answer = await app.rest(path, token, init);
    all.statuses.push(answer.status);
    all.text += `${answer.text}\n`;
    all.types += ` ${answer.headers.get('content-type') ?? ''}`;
    all.headers += JSON.stringify([...answer.headers].filter(([name]) => !passing.test(name)));
  }
  return all;
}

describe.each(Object.entries(strangers))('over REST, %s', (who, arrive) => {
  beforeAll(async () => void (rows = await rowsOf()));

  it.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'learns and changes nothing by %s',
    async (_, route) => {
      const answer = await call(route, worlds.own, await arrive());
      expect(answer.text).not.toContain(CANARY);
      expect(Math.max(...answer.statuses)).toBeLessThan(500);
      expect(answer.types).not.toMatch(/image|zip|calendar/);
      await expectSameRows();
      const ofNothing = await call(route, worlds.missing, await arrive());
      const strip = ({ statuses, text, headers }: Answer, world: World): string =>
        `${String(statuses)} ${headers} ${[...Object.values(world.uuids), String(world.feedKey)].reduce((all, id) => all.replaceAll(id, '#'), text)}`
          .replace(
            /"(requestId|last_fetch_time|createdAt|id|data|feedKey)":("[^"]*"|\d+)/g,
            '"$1":"#"',
          )
          .replace(/"created":(true|false|\d+)|"existing":\d+/g, '#');
      // Signing in names nothing of the victim, and the tenth wrong password is refused in another way.
      if (route.operation !== 'signIn')
        expect(strip(ofNothing, worlds.missing)).toBe(strip(answer, worlds.own));
      const byKey = route.auth === 'customer';
      const byDirectory = route.auth === 'scim' && who.startsWith('the directory');
      if (
        !byDirectory &&
        route.auth !== 'none' &&
        (withoutSession.has(who) ||
          (byKey ? !who.startsWith('the key of another customer') : who.startsWith('the key')))
      )
        expect(new Set(answer.statuses)).toEqual(new Set([401]));
    },
  );
});

it('has a row for every route, and none for what is gone', () => {
  expect(Object.keys(requests).sort()).toEqual(routes.map(({ operation }) => operation).sort());
});
