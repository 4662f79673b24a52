import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../src/server/openapi/document.ts';
import { routes } from '../../src/server/routes/routes.ts';
import { MONTH, january } from '../task-execution/calendar/store.ts';
import { startApp, type RestAnswer } from '../support/app.ts';
import { checkerOf, type Checker } from '../support/openapi.ts';
import { directoryOf } from '../support/scim.ts';
import { startTracker, TASKS, TEMPLATES, type Tracker } from '../support/tracker.ts';

let app: Tracker;
let checker: Checker;
let document: OpenApiDocument;
let token: string;
beforeAll(async () => {
  app = await startTracker();
  await app.load([
    ...january,
    {
      record: 'config',
      scope: 'SYSTEM',
      key: 'priority_data',
      value: { 1: { priority_desc: 'High', color: 'red', img: 'high.png' } },
    },
    { record: 'config', scope: 'SYSTEM', key: 'no_records', value: '20' },
  ]);
  token = await app.signedIn('ana');
  document = (await app.rest('/openapi.json')).json as unknown as OpenApiDocument;
  checker = checkerOf(document);
});
afterAll(() => app.close());

/** Calls the gateway and holds the answer against the document. */
async function call(
  method: string,
  path: string,
  status: number,
  init: RequestInit = {},
  as: string | undefined = token,
): Promise<RestAnswer> {
  const answer = await app.rest(path, as, { method, ...init });
  expect([path, answer.status, checker.faults(method, path, answer), answer.json]).toEqual([
    path,
    status,
    [],
    answer.json,
  ]);
  return answer;
}

const json = (body: unknown, headers = {}): RequestInit => ({
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', ...headers },
});
const form = (body: Record<string, string>): RequestInit => ({ body: new URLSearchParams(body) });
const get = (path: string, status = 200): Promise<RestAnswer> => call('GET', path, status);

it(
  'every route answers as the document says, in success and in failure',
  { timeout: 60_000 },
  async () => {
    // Task execution.
    const all =
      'pin,feed_key,transaction_key,feed_owner,additional_attributes,end_date_utc,last_action_time_in_millis,display_end_date,time_to_act,follow,watch_flag,panel_config,flag';
    await get('/task/v1/config/list');
    await get('/task/v1/config/list?config_type=nothing', 400);
    await get('/task/v1/feeds/list?limit=3');
    await get(`/task/v1/feeds/list?projections=${all}`);
    await get('/task/v1/feeds/list?feed_title=no+such+feed');
    await get('/task/v1/feeds/list/tasks');
    await get('/task/v1/feeds/list?starting_after=a&ending_before=b', 400);
    await get('/task/v1/feeds/all', 400);
    await get('/task/v1/feeds/count?start_date=20270101&end_date=20270131');
    await get('/task/v1/feeds/count', 400);
    await get('/task/v1/feeds/list-latest');
    await get('/task/v1/feeds/list-latest?from_time=1', 400);
    await call('GET', '/task/v1/feeds/list', 401, {}, 'nobody');
    for (const source of [
      'CALENDAR',
      'STORE_PROJECTS',
      'STORE_SUGGESTED_DATE_PROJECTS',
      'STORE_WALK_CAL',
    ])
      await get(`/task/v1/calendar?source_id=${source}&${MONTH}&local_projects=A`);
    await get(`/task/v1/calendar?source_id=CALENDAR&${MONTH}&filter_id=weekly`);
    await get('/task/v1/calendar?source_id=CALENDAR&from_date=20300101&to_date=20300101');
    await get('/task/v1/calendar', 400);
    await call(
      'POST',
      '/service/rtm/getCalendarData',
      200,
      form({ source_id: 'CALENDAR', from_date: '20270101', to_date: '20270131' }),
    );
    await get('/task/v1/calendar/leadership?cal_type=M&month_no=1&year=2027');
    await get('/task/v1/calendar/leadership?cal_type=M&month_no=1&year=1990');
    await get('/task/v1/calendar/leadership', 400);
    await call(
      'POST',
      '/service/execute/getLeadershipCalendarData',
      200,
      json({ cal_type: 'A', month_no: 1, year: 2027 }),
    );
    await call(
      'POST',
      '/task/v1/actions/30/suggested-date',
      200,
      form({ sugg_start_date_val: '20270110' }),
    );
    await call(
      'POST',
      '/task/v1/actions/30/suggested-date',
      400,
      form({ sugg_start_date_val: 'soon' }),
    );
    await call(
      'POST',
      '/task/v1/actions/900/suggested-date',
      200,
      form({ sugg_start_date_val: '20270110' }),
    );
    const subscribed = await app.gql(
      'mutation { createCalendarSubscription(input: {}) { ... on CreateCalendarSubscriptionPayload { icsUrl } } }',
      {},
      token,
    );
    await get(new URL(subscribed.data.createCalendarSubscription.icsUrl).pathname);
    await get('/calendar/nothing.ics', 404);

    // Dataset management.
    const post = async (path: string, body: object, status = 200): Promise<string> =>
      (await call('POST', path, status, json(body))).json['data'];
    const workspaceId = await post('/api/Workspaces/create', { name: 'Stores' });
    await post('/api/Workspaces/create', { name: '' }, 400);
    await get('/api/Workspaces');
    const datasetId = await post('/api/Datasets/create', {
      workspaceId,
      name: 'Shelves',
      description: '',
    });
    await post('/api/Datasets/update', { datasetId, name: 'Shelves', description: 'Front' });
    await post('/api/Datasets/publish', { datasetId: 'x' }, 400);
    await get(`/api/Datasets?workspaceId=${workspaceId}`);
    await get('/api/Datasets', 400);
    const upload = new FormData();
    upload.set('DatasetId', datasetId);
    upload.set('FileName', 'shelf.png');
    upload.set(
      'Image',
      new Blob([
        Uint8Array.from(
          await sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } })
            .png()
            .toBuffer(),
        ),
      ]),
    );
    const imageId = (await call('POST', '/api/Images/addImage', 200, { body: upload })).json[
      'data'
    ];
    upload.set('FileName', 'x'.repeat(256));
    const tooLong = await call('POST', '/api/Images/addImage', 400, { body: upload });
    expect(document.paths['/api/Images/addImage']?.['post']?.responses['400']).toMatchObject({
      description: expect.stringContaining(`${tooLong.json['errorCodes'][0]}: `),
    });
    await get(`/api/Datasets/images?DatasetId=${datasetId}&PageSize=10&PageNumber=1`);
    await get(`/api/Datasets/images?DatasetId=${datasetId}&PageSize=0&PageNumber=1`, 400);
    const image = await get(`/api/Images/download?imageId=${imageId}`);
    await call('GET', `/api/Images/download?imageId=${imageId}`, 206, {
      headers: { range: 'bytes=0-9' },
    });
    await call('GET', `/api/Images/download?imageId=${imageId}`, 416, {
      headers: { range: 'bytes=999999-' },
    });
    await call('GET', `/api/Images/download?imageId=${imageId}`, 304, {
      headers: { 'if-none-match': image.headers.get('etag')! },
    });
    await get(`/api/Images/downloadThumb?imageId=${imageId}`);
    await get(`/api/Images/download?imageId=${datasetId}`, 400);
    const found = await app.gql(
      'query ($uuid: UUID!) { workspace(uuid: $uuid) { id } }',
      { uuid: workspaceId },
      token,
    );
    const made = await app.gql(
      'mutation ($input: CreateProjectInput!) { createProject(input: $input) { ... on CreateProjectPayload { project { id uuid } } } }',
      { input: { workspaceId: found.data.workspace.id, name: 'Bottles', description: '' } },
      token,
    );
    const { id: projectNode, uuid: projectId } = made.data.createProject.project;
    await post('/api/Projects/AssignDataset', { projectId, datasetId });
    await get(`/api/Projects?workspaceId=${workspaceId}`);
    await get(`/api/Projects/export?projectId=${projectId}&dataFilter=All`);
    await get(`/api/Projects/export?projectId=${projectId}&dataFilter=Some`, 400);
    const job = await app.gql(
      'mutation ($input: ExportProjectInput!) { exportProject(input: $input) { ... on ExportProjectPayload { job { id } } } }',
      { input: { projectId: projectNode, filter: 'ALL' } },
      token,
    );
    const jobId = Buffer.from(job.data.exportProject.job.id, 'base64').toString().split(':')[1];
    await expect
      .poll(async () => (await app.rest(`/exports/${jobId}`, token)).status, { timeout: 20_000 })
      .toBe(200);
    await get(`/exports/${jobId}`);
    await get(`/exports/${datasetId}`, 400);
    const labels = new FormData();
    labels.set('projectId', projectId);
    labels.set('File', new Blob(['{"categories":[],"images":[],"annotations":[]}']));
    await call('POST', '/api/Projects/importAnnotations', 200, { body: labels });
    labels.delete('File');
    await call('POST', '/api/Projects/importAnnotations', 400, { body: labels });
    const frozen = await app.gql(
      'mutation ($input: CreateDatasetVersionInput!) { createDatasetVersion(input: $input) { ... on CreateDatasetVersionPayload { version { uuid } } } }',
      { input: { datasetId: Buffer.from(`Dataset:${datasetId}`).toString('base64') } },
      token,
    );
    const manifest = `/dataset-versions/${frozen.data.createDatasetVersion.version.uuid}/manifest`;
    await expect.poll(async () => (await app.rest(manifest, token)).status).toBe(200);
    await get(manifest);
    await get(`/dataset-versions/${datasetId}/manifest`, 400);
    await post('/api/Projects/UnlinkDataset', { projectId, datasetId });
    await post('/api/Images/delete', { imageId });
    await post('/api/Datasets/publish', { datasetId });
    await post('/api/Datasets/delete', { datasetId });
    const secret = await post('/api/Workspaces/create', { name: 'Secret' });
    await post('/api/Workspaces/enableEncryption', {
      workspaceId: secret,
      checksum: 'A'.repeat(43) + '=',
    });
    await post('/api/Workspaces/enableEncryption', { workspaceId: secret, checksum: 'short' }, 400);
    await post('/api/Workspaces/delete', { workspaceId });
    await call('GET', '/api/Workspaces', 401, {}, 'nobody');
    await call('GET', '/api/Workspaces', 400, { headers: { 'api-version': '2.0' } });

    // Task tracker.
    const customer = { 'API-Key': app.key, customerId: 'shop' };
    const task = await call(
      'POST',
      TASKS,
      201,
      json({ name: 'Restock', assignedTo: 'ana' }, customer),
    );
    await call('GET', `${TASKS}/${task.json['id']}`, 200, { headers: customer });
    await call('GET', `${TASKS}/${datasetId}`, 404, { headers: customer });
    await call('POST', TASKS, 400, json({ name: '', priority: 'NONE' }, customer));
    await call('POST', TASKS, 401, json({ name: 'Restock' }));
    await call('POST', TASKS, 415, {
      body: 'name=Restock',
      headers: { ...customer, 'content-type': 'text/plain' },
    });
    await call('POST', TEMPLATES, 201, json(['Restock', 'Clean'], customer));
    await call('POST', TEMPLATES, 400, json([], customer));

    // Sessions.
    const signedIn = await call(
      'POST',
      '/session',
      200,
      json({ login: 'ana', password: 'secret of ana' }),
      undefined,
    );
    await call('POST', '/session', 401, json({ login: 'ana', password: 'wrong' }), undefined);
    await call('POST', '/session', 400, json({}), undefined);
    await call('DELETE', '/session', 200, {}, signedIn.json['token']);

    // SCIM.
    const { token: scimToken } = await directoryOf(app, 'acme');
    const scim = async (method: string, path: string, status: number, body?: object, more = {}) =>
      call(method, `/scim/v2${path}`, status, {
        ...(body && { body: JSON.stringify(body) }),
        headers: {
          authorization: `Bearer ${scimToken}`,
          'content-type': 'application/scim+json',
          ...more,
        },
      });
    for (const path of [
      '/ServiceProviderConfig',
      '/Schemas',
      '/ResourceTypes',
      '/Users',
      '/Groups',
    ])
      await scim('GET', path, 200);
    await scim('GET', '/ResourceTypes?filter=x', 403);
    await scim('GET', '/ResourceTypes/User', 200);
    await scim('GET', '/Schemas/urn:ietf:params:scim:schemas:core:2.0:User', 200);
    await scim('GET', '/Users?filter=x', 400);
    await call('GET', '/scim/v2/Users', 401);
    const made1 = await scim('POST', '/Users', 201, { userName: 'mia', externalId: 'm' });
    await scim('POST', '/Users', 409, { userName: 'mia' });
    const user = `/Users/${made1.json['id']}`;
    await scim('GET', user, 304, undefined, { 'if-none-match': made1.headers.get('etag')! });
    await scim('GET', `${user}?attributes=userName`, 200);
    await scim('PUT', user, 412, { userName: 'mia' }, { 'if-match': 'W/"x"' });
    await scim('PUT', user, 200, { userName: 'mia', name: { givenName: 'Mia' } });
    const disable = { Operations: [{ op: 'replace', path: 'active', value: false }] };
    await scim('PATCH', user, 200, disable);
    await scim('PATCH', user, 415, disable, { 'content-type': 'text/plain' });
    const members = [{ value: made1.json['id'] }];
    const made2 = await scim('POST', '/Groups', 201, { displayName: 'Night shift', members });
    const group = `/Groups/${made2.json['id']}`;
    await scim('GET', group, 200);
    await scim('PUT', group, 200, { displayName: 'Late shift' });
    await scim('PATCH', group, 204, {
      Operations: [{ op: 'remove', path: 'members', value: members }],
    });
    for (const path of [user, group]) {
      await scim('DELETE', path, 204);
      await scim('DELETE', path, 404);
    }

    // What they are in GraphQL.
    await get('/explain');
    await get('/explain?url=/api/Workspaces');
    await get('/explain?url=nothing', 400);
    await get(`/explain?url=${'x'.repeat(9_000)}`, 414);
    await call('POST', '/explain', 200, form({ url: '/api/Workspaces' }));
    await call('POST', '/explain', 415, json({}));
    await call('POST', '/explain', 413, form({ url: 'x'.repeat(1_100_000) }));

    expect(
      [
        ...routes.map(({ operation }) => operation),
        'explainRequest',
        'explainWrittenRequest',
      ].filter((operation) => !checker.seen.has(operation)),
    ).toEqual([]);
  },
);

it('D-80 says of every path of datasets that too many calls are answered with 429', async () => {
  const limited = await startApp({ env: { RATE_LIMIT: '1' } });
  try {
    await limited.load([
      { record: 'domain', name: 'one' },
      { record: 'user', login: 'ana', domain: 'one' },
    ]);
    const ana = await limited.signedIn('ana');
    for (let call = 0; call < 10; call++) await limited.rest('/api/Workspaces', ana);
    for (const { method, path, family } of routes) {
      if (family !== 'dataset') continue;
      const url = path.replace(/\{.*\}/, 'x');
      const answer = await limited.rest(url, ana, { method });
      expect([url, answer.status, checker.faults(method, url, answer)]).toEqual([url, 429, []]);
      expect(document.paths[path]?.[method.toLowerCase()]?.responses).toHaveProperty('503');
    }
  } finally {
    await limited.close();
  }
});

it('says of X-Explain what the answers have', async () => {
  const sent = async (method: string, path: string, init: RequestInit = {}): Promise<boolean[]> => {
    const { headers } = await call(method, path, 200, {
      ...init,
      headers: { 'x-explain': '1', 'content-type': 'application/json' },
    });
    return ['X-GraphQL-Operation', 'X-GraphQL-Variables', 'Link'].map((name) => headers.has(name));
  };
  const described = (path: string, method: string): boolean[] => {
    const { responses, parameters } = document.paths[path]![method]!;
    expect(
      parameters.some((parameter) => '$ref' in parameter && parameter.$ref.endsWith('/Explain')),
    ).toBe(path !== '/session');
    return ['X-GraphQL-Operation', 'X-GraphQL-Variables', 'Link'].map(
      (name) => name in (responses['200']?.headers ?? {}),
    );
  };
  expect(described('/task/v1/config/list', 'get')).toEqual(
    await sent('GET', '/task/v1/config/list'),
  );
  expect(described('/api/Workspaces', 'get')).toEqual(await sent('GET', '/api/Workspaces'));
  expect(described('/session', 'post')).toEqual(
    await sent('POST', '/session', {
      body: JSON.stringify({ login: 'ana', password: 'secret of ana' }),
    }),
  );
});
