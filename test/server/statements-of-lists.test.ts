import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { schema } from '../../src/server/graphql/schema/schema.ts';
import { startFuzzWorld, type FuzzWorld } from '../support/fuzz-world.ts';
import { jpeg } from '../support/images.ts';
import { listDocuments } from '../support/list-documents.ts';
import { feed } from '../support/records.ts';
import { TASKS, TEMPLATES } from '../support/tracker.ts';

const january = 'from: "2027-01-01", to: "2027-01-31"';
const lists = listDocuments(schema, {
  'Dataset.imageByPath': 'path: "a.jpg"',
  'Dataset.versionByNumber': 'number: 1',
  'Query.nodes': 'ids: $ids',
  'Viewer.calendar CalendarFeeds': `source: CALENDAR, ${january}`,
  'Viewer.calendar CalendarProjects': `source: STORE_PROJECTS, ${january}`,
  'Viewer.calendar CalendarWalks': `source: STORE_WALK_CAL, ${january}`,
  'Viewer.feedChanges': 'fromTime: 0',
  'Viewer.feedCounts': 'startDate: "2027-01-01", endDate: "2027-01-31"',
  'Viewer.leadershipCalendar': 'type: MONTHLY, year: 2027, month: 1',
});

let world: FuzzWorld;
/** Global ids of two objects of each kind at least. */
let ids: string[];
const statements = vi.spyOn(pg.Client.prototype, 'query');

beforeAll(async () => {
  // Without the fast lane each statement is sent alone, and as one call.
  world = await startFuzzWorld({ fastLane: false });
  await addContent();
  await world.load([
    feed(11, { owner: 'ana', kind: 'TASK', parent_feed_key: 30, feed_title: 'Two' }),
  ]);
  await world.post(TASKS, { name: 'Two' });
  await world.post(TASKS, { name: 'Three' });
  await world.post(TEMPLATES, ['Two']);
  await world.services.usage.flush();
  await world.gql(
    'mutation { issueApiKey(input: { customerId: "two" }) { __typename } }',
    {},
    world.ana,
  );
  await world.gql('mutation { issueScimToken(input: {}) { __typename } }', {}, world.ana);
  const all = await world.gql(
    '{ legacyUsage(first: 5) { nodes { id } } viewer { users { nodes { id } } auditLog(first: 5) { nodes { id } } workspaces { nodes { id members { nodes { id } } datasets(first: 3) { nodes { id images(first: 2) { nodes { id annotations(first: 2) { nodes { id } } } } } } projects { nodes { id } } } } feeds { nodes { id } } unassignedExternalTasks { nodes { id } } apiKeys { id } scimTokens { id } } taskTemplates { nodes { id } } }',
    {},
    world.ana,
  );
  const listed = [...JSON.stringify(all.data).matchAll(/"id":"([^"]+)"/g)];
  ids = [...world.globalIds, ...listed.map(([, id]) => id ?? '')];
  // The exports are made behind this one.
  await new Promise<void>((resolve) => world.services.background(() => Promise.resolve(resolve())));
}, 120_000);
afterAll(async () => {
  vi.restoreAllMocks();
  await world.close();
});

async function addContent(): Promise<void> {
  const send = async (path: string, body: object): Promise<string> => {
    const isForm = body instanceof FormData;
    const { json } = await world.rest(path, world.ana, {
      method: 'POST',
      body: isForm ? body : JSON.stringify(body),
      headers: isForm ? {} : { 'content-type': 'application/json' },
    });
    return json['data'];
  };
  const workspaceId = await send('/api/Workspaces/create', { name: 'Two' });
  const datasetId = await send('/api/Datasets/create', {
    workspaceId,
    name: 'Two',
    description: '',
  });
  const upload = new FormData();
  upload.set('DatasetId', datasetId);
  upload.set('FileName', 'two.jpg');
  upload.set('Image', new Blob([Uint8Array.from(await jpeg(40, 30))]));
  const imageId = await send('/api/Images/addImage', upload);
  const made = await world.gql(
    'mutation ($input: CreateProjectInput!) { createProject(input: $input) { ... on CreateProjectPayload { project { id uuid } } } }',
    {
      input: {
        workspaceId: Buffer.from(`Workspace:${workspaceId}`).toString('base64'),
        name: 'Two',
        description: '',
      },
    },
    world.ana,
  );
  const { id, uuid: projectId } = made.data.createProject.project;
  const started = await world.gql(
    'mutation ($input: ExportProjectInput!) { exportProject(input: $input) { ... on ExportProjectPayload { job { id } } } }',
    { input: { projectId: id, filter: 'CONFIG_ONLY' } },
    world.ana,
  );
  world.globalIds.push(started.data.exportProject.job.id);
  for (const DryRun of ['true', 'false']) {
    const labels = new FormData();
    labels.set('projectId', projectId);
    labels.set('DryRun', DryRun);
    labels.set('File', new Blob(['{"categories":[],"images":[],"annotations":[]}']));
    const job = await send('/api/Projects/importAnnotations', labels);
    world.globalIds.push(Buffer.from(`AnnotationImport:${job}`).toString('base64'));
  }
  await send('/api/Projects/AssignDataset', { projectId, datasetId });
  await world.gql(
    'mutation ($id: ID!) { addAnnotationClasses(input: { projectId: $id, classes: [{ name: "one" }, { name: "two" }] }) { __typename } }',
    { id },
    world.ana,
  );
  const dataset = Buffer.from(`Dataset:${datasetId}`).toString('base64');
  for (const part of ['VAL', 'TEST']) {
    const split = { datasets: [{ datasetId: dataset, part }] };
    const { data } = await world.gql(
      'mutation ($input: ExportProjectInput!) { exportProject(input: $input) { ... on ExportProjectPayload { job { id } } } }',
      { input: { projectId: id, filter: 'ALL', format: 'COCO', split } },
      world.ana,
    );
    world.globalIds.push(data.exportProject.job.id);
  }
  const freeze = async (): Promise<void> => {
    const { data } = await world.gql(
      'mutation ($input: CreateDatasetVersionInput!) { createDatasetVersion(input: $input) { ... on CreateDatasetVersionPayload { version { id } } } }',
      { input: { datasetId: dataset } },
      world.ana,
    );
    const { id: versionId } = data.createDatasetVersion.version;
    world.globalIds.push(versionId);
    const read = 'query ($id: ID!) { node(id: $id) { ... on DatasetVersion { state } } }';
    await vi.waitUntil(
      async () => (await world.gql(read, { id: versionId }, world.ana)).data.node.state === 'READY',
      { timeout: 30_000 },
    );
  };
  await freeze();
  const shape = { className: 'one', shape: 'CLASSIFICATION' };
  await world.gql(
    'mutation ($input: AnnotateImageInput!) { annotateImage(input: $input) { __typename } }',
    {
      input: {
        projectId: id,
        imageId: Buffer.from(`DatasetImage:${imageId}`).toString('base64'),
        annotations: [shape, shape],
      },
    },
    world.ana,
  );
  await freeze();
}

/**
 * What a request sends only while the gateway has not confirmed that it knows the session, and the confirmation: both end
 * at any time, whatever the document.
 */
const OF_SESSIONS = /FROM session s|UPDATE session s|pg_backend_pid/;

/** How many statements were sent for documents since the calls were cleared. */
const countSent = (): number =>
  statements.mock.calls.filter(([query]: unknown[]) => {
    const text = typeof query === 'string' ? query : (query as pg.QueryConfig).text;
    return !OF_SESSIONS.test(text);
  }).length;

interface Answer {
  /** Number of statements: the fewest of some times, since the gateway also works for itself. */
  sent: number;
  /** Number of rows of the type. */
  rows: number;
}

async function ask(document: string, type: string, most = 0): Promise<Answer> {
  const [, kind] = /\$ids\) { \.\.\. on (\w+)/.exec(document) ?? [];
  const query = kind ? `query ($ids: [ID!]!) ${document}` : document;
  const wanted = ids.filter((id) => Buffer.from(id, 'base64').toString().startsWith(`${kind}:`));
  let fewest: Answer | undefined;
  // Once there is a limit, only a fault is asked for often.
  for (let time = 0; time < (most > 0 ? 12 : 4); time++) {
    statements.mockClear();
    const { data, errors } = await world.gql(
      query,
      kind === undefined ? {} : { ids: wanted },
      world.ana,
    );
    const sent = countSent();
    expect(errors, document).toBeUndefined();
    const rows = JSON.stringify(data).split(`"__typename":"${type}"`).length - 1;
    if (!fewest || sent < fewest.sent) fewest = { sent, rows };
    if (time > 0 && sent <= most) break;
  }
  return fewest ?? { sent: 0, rows: 0 };
}

it.each(lists)(
  '$name: each field takes one statement for all rows',
  async (list) => {
    const { sent: few, rows } = await ask(list.bare, list.type);
    if (
      list.name.startsWith('Query.nodes') ||
      list.parts.some(({ name }) => name !== 'plain fields')
    )
      expect(rows, list.bare).toBeGreaterThan(1);
    const above = await ask(list.without, list.type);
    const costly: Record<string, number> = {};
    // By date, a calendar is read in three parts, and its projects have names of types.
    const most = list.name.startsWith('Calendar') ? 4 : 1;
    const sent =
      few > above.sent + most ? (await ask(list.bare, list.type, above.sent + most)).sent : few;
    if (sent > above.sent + most) costly['the list'] = sent - above.sent;
    for (const { name, document, most } of list.parts) {
      const part = await ask(document, list.type, sent + most);
      if (part.sent > sent + most) costly[name] = part.sent - sent;
    }
    expect(costly).toEqual({});
  },
  60_000,
);
