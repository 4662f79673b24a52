import { readFileSync } from 'node:fs';
import { parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkDocument } from '../../../src/server/graphql/limits/check-document.ts';
import { limits } from '../../../src/server/graphql/limits/limits.ts';
import { legacyRoutes as routes } from '../../../src/server/routes/routes.ts';
import { schema } from '../../../src/server/graphql/schema/schema.ts';
import { startApp, type GraphQLAnswer, type TestApp } from '../../support/app.ts';
import { feed, organisation } from '../../support/records.ts';

let app: TestApp;
let ana: string;
beforeAll(async () => {
  app = await startApp();
  await app.load([...organisation, feed(1, { feed_title: 'Grüße' })]);
  ana = await app.signedIn('ana');
});
afterAll(() => app.close());

const UUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const query = `query ($url: String!, $method: String, $body: String) { translateLegacyRequest(url: $url, method: $method, body: $body) {
  method path kind field operation variables ignoredParameters { name reason defaulted } notes estimatedCost graphiqlUrl } }`;
const ask = (url: string, more: object = {}): Promise<GraphQLAnswer> =>
  app.gql(query, { url, ...more });
const translated = async (url: string, more: object = {}): Promise<any> => {
  const answer = await ask(url, more);
  expect(answer.errors, url).toBeUndefined();
  return answer.data.translateLegacyRequest;
};

/** One good request of each path. */
const requests: Record<string, [url: string, body?: string]> = {
  'POST /session': ['/session', '{"login":"ana","password":"secret of ana"}'],
  'DELETE /session': ['/session'],
  'GET /task/v1/config/list': ['/task/v1/config/list?config_type=feed'],
  'GET /task/v1/calendar': [
    '/task/v1/calendar?source_id=CALENDAR&from_date=20270101&to_date=20270131',
  ],
  'POST /service/rtm/getCalendarData': [
    '/service/rtm/getCalendarData',
    'source_id=STORE_PROJECTS&from_date=20270101&to_date=20270131',
  ],
  'GET /calendar/{token}.ics': ['/calendar/abc.ics'],
  'GET /task/v1/feeds/{retrieve-type}': ['/task/v1/feeds/list'],
  'GET /task/v1/feeds/list/tasks': ['/task/v1/feeds/list/tasks?limit=100'],
  'GET /task/v1/calendar/leadership': [
    '/task/v1/calendar/leadership?cal_type=M&month_no=1&year=2027',
  ],
  'POST /service/execute/getLeadershipCalendarData': [
    '/service/execute/getLeadershipCalendarData',
    '{"cal_type":"A","month_no":1,"year":2027,"priority":[1,2]}',
  ],
  'POST /task/v1/actions/{feed-key}/suggested-date': [
    '/task/v1/actions/1/suggested-date',
    'sugg_start_date_val=20270101&sugg_end_date_val=',
  ],
  'GET /api/Workspaces': ['/api/Workspaces'],
  'POST /api/Workspaces/create': ['/api/Workspaces/create', '{"name":"W"}'],
  'POST /api/Workspaces/delete': ['/api/Workspaces/delete', `{"workspaceId":"${UUID}"}`],
  'POST /api/Workspaces/enableEncryption': [
    '/api/Workspaces/enableEncryption',
    `{"workspaceId":"${UUID}","checksum":"zGt6+Kn+qwZt83zFkcdBf/k8w74GG7EZWNtZDJ/3mYE="}`,
  ],
  'GET /api/Datasets': [`/api/Datasets?workspaceId=${UUID}`],
  'POST /api/Datasets/create': [
    '/api/Datasets/create',
    `{"workspaceId":"${UUID}","name":"D","description":""}`,
  ],
  'POST /api/Datasets/update': [
    '/api/Datasets/update',
    `{"datasetId":"${UUID}","name":"D","description":""}`,
  ],
  'POST /api/Datasets/delete': ['/api/Datasets/delete', `{"datasetId":"${UUID}"}`],
  'POST /api/Datasets/publish': ['/api/Datasets/publish', `{"datasetId":"${UUID}"}`],
  'GET /api/Datasets/images': [`/api/Datasets/images?DatasetId=${UUID}&PageSize=1000&PageNumber=2`],
  'POST /api/Images/addImage': [
    '/api/Images/addImage',
    `DatasetId=${UUID}&FileName=a.jpg&Image=@a.jpg`,
  ],
  'POST /api/Images/delete': ['/api/Images/delete', `{"imageId":"${UUID}"}`],
  'GET /api/Images/download': [`/api/Images/download?imageId=${UUID}`],
  'GET /api/Images/downloadThumb': [`/api/Images/downloadThumb?imageId=${UUID}`],
  'GET /api/Projects': [`/api/Projects?workspaceId=${UUID}`],
  'POST /api/Projects/AssignDataset': [
    '/api/Projects/AssignDataset',
    `{"projectId":"${UUID}","datasetId":"${UUID}"}`,
  ],
  'POST /api/Projects/UnlinkDataset': [
    '/api/Projects/UnlinkDataset',
    `{"projectId":"${UUID}","datasetId":"${UUID}"}`,
  ],
  'GET /api/Projects/export': [`/api/Projects/export?projectId=${UUID}&dataFilter=ConfigOnly`],
  'GET /exports/{jobId}': [`/exports/${UUID}`],
  'POST /api/Projects/importAnnotations': [
    '/api/Projects/importAnnotations',
    `projectId=${UUID}&File=@labels.zip`,
  ],
  'GET /dataset-versions/{versionId}/manifest': [`/dataset-versions/${UUID}/manifest`],
  'POST /api/task-tracker-external/tasks/title/templates': [
    '/api/task-tracker-external/tasks/title/templates',
    '["Count the tills"]',
  ],
  'POST /api/task-tracker-external/tasks': [
    '/api/task-tracker-external/tasks',
    '{"name":"Restock","priority":"HIGH","expiryTime":"2027-01-31T17:00:00Z","colour":1}',
  ],
  'GET /api/task-tracker-external/tasks/{id}': [`/api/task-tracker-external/tasks/${UUID}`],
};

describe('every route', () => {
  it('has a request here', () => {
    expect(Object.keys(requests).sort()).toEqual(
      routes.map(({ method, path }) => `${method} ${path}`).sort(),
    );
  });

  it.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s becomes a valid operation within the limits',
    async (name, route) => {
      const [url, body] = requests[name] ?? [''];
      const { operation, variables, estimatedCost, kind, path, graphiqlUrl } = await translated(
        url,
        { method: route.method, body },
      );
      expect(path).toBe(route.path);
      expect(kind).toBe(operation.startsWith('mutation') ? 'WRITE' : 'READ');
      const document = parse(operation);
      expect([checkDocument(document), ...validate(schema, document)]).toEqual([undefined]);
      expect(estimatedCost).toBeLessThanOrEqual(limits.cost);
      const holdsFile = route.operation === 'addImage';
      const answer = await app.gql(operation, variables, kind === 'READ' ? ana : undefined);
      if (!holdsFile)
        expect(answer.errors?.map(({ extensions }) => extensions['code']) ?? []).toSatisfy(
          (codes: string[]) =>
            codes.every(
              (code) => code !== 'BAD_USER_INPUT' && code !== 'GRAPHQL_VALIDATION_FAILED',
            ),
        );
      if (holdsFile) return expect(graphiqlUrl).toBeNull();
      const standalone = new URL(graphiqlUrl, app.url).searchParams.get('query')!;
      expect(validate(schema, parse(standalone))).toEqual([]);
      if (kind === 'READ')
        expect((await app.gql(standalone, {}, ana)).data).toEqual(
          (await app.gql(operation, variables, ana)).data,
        );
    },
  );
});

it('docs/migration.md has the row of every route', async () => {
  const others: Record<string, string[]> = {
    'GET /task/v1/feeds/{retrieve-type}': [
      '/task/v1/feeds/list',
      '/task/v1/feeds/count?start_date=20270101&end_date=20270131',
      '/task/v1/feeds/list-latest',
    ],
  };
  const row = async (method: string, url: string, body?: string): Promise<string> => {
    const { kind, field, path } = await translated(url, { method, body });
    // Which field of the calendar it is depends on source_id.
    const shownField = field.replace(/^viewer\.calendar\..*/, 'viewer.calendar');
    const shown = others[`${method} ${path}`] ? url.replace(/\?.*/, '') : path;
    return `| \`${method} ${shown}\` | ${kind === 'READ' ? 'query' : 'mutation'} | \`${shownField}\` |`;
  };
  const rows = [];
  for (const { method, path } of routes) {
    const [url, body] = requests[`${method} ${path}`]!;
    for (const one of others[`${method} ${path}`] ?? [url]) rows.push(await row(method, one, body));
  }
  const table = readFileSync(new URL('../../../docs/migration.md', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => /^\| `(GET|POST|DELETE) /.test(line));
  expect(table).toEqual(rows);
});

describe('what is said of a request', () => {
  it('which parameters do not count, and which fell back to a default', async () => {
    const { ignoredParameters, variables } = await translated(
      '/task/v1/feeds/list?pin=7&limit=x&status=N,Z&user_id=5&nope=1&from_time=1&limit=3',
    );
    expect(variables).toEqual({ first: 20, filter: { statuses: ['NEW'] } });
    const said = new Map<string, [string, boolean]>(
      ignoredParameters.map(({ name, reason, defaulted }: any) => [name, [reason, defaulted]]),
    );
    expect(said.get('pin')).toEqual(['must be -1, 0 or 1: the default -1 counts', true]);
    expect(said.get('limit')![1]).toBe(true);
    expect(said.get('status')).toEqual(['every item must be one of N, R, P, O, C, F, E', false]);
    expect(said.get('user_id')).toEqual(['comes from the session, never from the client', false]);
    expect(said.get('nope')).toEqual(['is not a parameter of this operation', false]);
    expect(said.get('from_time')).toEqual(['plays no part here', false]);
  });

  it('a limit out of range and a system filter are told in notes', async () => {
    expect(
      (await translated('/task/v1/feeds/list?limit=500&filter_id=weekly&pin=1')).notes,
    ).toEqual(
      expect.arrayContaining([
        expect.stringContaining('100 counts'),
        expect.stringContaining('filter_id stands'),
      ]),
    );
  });

  it('never a password', async () => {
    const answer = await ask('/session', { method: 'POST', body: 'login=ana&password=hunter2' });
    expect(answer.data.translateLegacyRequest.variables).toEqual({
      input: { login: 'ana', password: '…' },
    });
    expect(JSON.stringify(answer)).not.toContain('hunter2');
  });

  it('what REST refuses is an error with its code', async () => {
    for (const [url, code] of [
      ['/task/v1/feeds/count', 'E114'],
      ['/task/v1/feeds/x', 'E111'],
      ['/task/v1/calendar', 'E140'],
      ['/task/v1/config/list?config_type=x', 'E203'],
      ['/task/v1/feeds/list?starting_after=a&ending_before=b', 'E112'],
      ['/api/Datasets', 'E900'],
    ]) {
      const { errors, status } = await ask(url!);
      expect([status, errors?.[0]?.extensions['legacyCode'], errors?.[0]?.message], url).toEqual([
        200,
        code,
        expect.stringContaining('REST refuses this request'),
      ]);
    }
  });
});

describe('how a request may be written', () => {
  const host = (): string => new URL(app.url).host;
  it.each([
    ['a path', () => '/task/v1/feeds/list?limit=2'],
    ['with blanks around', () => '  /task/v1/feeds/list?limit=2\n'],
    ['a URL', () => `${app.url}/task/v1/feeds/list?limit=2#x`],
    ['a request line', () => 'GET /task/v1/feeds/list?limit=2 HTTP/1.1'],
    ['curl', () => `curl ${app.url}/task/v1/feeds/list?limit=2`],
    [
      'curl without a scheme, with a prompt',
      () => `$ curl -sS ${host()}/task/v1/feeds/list?limit=2`,
    ],
    [
      'curl with quotes, continued lines and a token',
      () =>
        `curl -s "${app.url}/task/v1/feeds/list?limit=2" \\\n  -H 'X-service-csrf-token-X: abc' \\\n  --compressed -o /dev/null`,
    ],
    ['curl -G', () => `curl -G -d limit=2 --url '/task/v1/feeds/list'`],
    ['curl in pieces', () => `curl -XGET '/task/v1/'"feeds"/li\\st$'?limit\\u003d2'`],
  ])('%s', async (_, text) => {
    expect((await translated(text())).variables).toEqual({ first: 2 });
  });

  it('curl with a body, and headers that count', async () => {
    const mutation = await translated(
      `curl '/task/v1/actions/1/suggested-date' -d sugg_start_date_val=20270101 --data-urlencode 'sugg_end_date_val='`,
    );
    expect(mutation).toMatchObject({
      kind: 'WRITE',
      method: 'POST',
      variables: { input: { startDate: '2027-01-01', endDate: null } },
    });
    expect(
      (await translated(`curl /api/Workspaces/create --json '{"name":"It'\\''s"}'`)).variables,
    ).toEqual({ input: { name: "It's" } });
    expect(
      (await translated(`curl /task/v1/feeds/list-latest?from_time=5 -H 'X-Resume-Cursor: abc'`))
        .variables,
    ).toEqual({ after: 'abc', first: 100 });
    expect(
      (await ask(`curl '/task/v1/feeds/list?pin=7' -H 'Prefer: handling=strict'`)).errors?.[0]
        ?.message,
    ).toContain('pin');
    expect(
      (
        await translated(
          `curl /api/Images/addImage -F DatasetId=${UUID} -F FileName=a.jpg -F 'Image=@a.jpg'`,
        )
      ).variables,
    ).toEqual({ input: { datasetId: expect.any(String), fileName: 'a.jpg', image: null } });
  });

  it.each([
    ['', 'Paste a URL'],
    ['hello world', 'not a URL'],
    ['javascript:alert(1)', 'not a URL'],
    ['//evil.example/task/v1/feeds/list', 'not a URL'],
    [
      'https://evil.example/task/v1/feeds/list?limit=2',
      'paste the path alone, /task/v1/feeds/list?limit=2',
    ],
    ['http://%zz/', 'not a URL'],
    ['/nope', 'No REST path is called /nope'],
    ['/task/v1/feeds/list/../../../../etc', 'No REST path'],
    ['DELETE /task/v1/feeds/list', 'is called with GET'],
    [`/task/v1/feeds/list?feed_title=${'x'.repeat(10_000)}`, 'no path takes more than 8000'],
    ['curl', 'not a URL'],
    ['curl -s', 'names no URL'],
    ["curl '/task/v1/feeds/list", 'can not be read from here on'],
    ['curl /a /b', 'more than one URL'],
    [`curl /api/Workspaces/create --json '{'`, 'not valid JSON'],
    [`curl /api/Workspaces/create -H 'content-type: text/plain' -d x`, 'Send application/json'],
  ])('%j is refused for people: %s', async (url, message) => {
    const { status, errors } = await ask(url);
    expect(status).toBeLessThan(500);
    expect(errors?.[0]).toMatchObject({
      message: expect.stringContaining(message),
      extensions: { code: 'BAD_USER_INPUT' },
    });
  });

  it('refuses what takes long to translate', async () => {
    const body = `source_id=CALENDAR&feed_title=${'x'.repeat(100_000)}`;
    const large = await ask('/service/rtm/getCalendarData', { body });
    expect(large.errors?.[0]?.message).toContain('100000 are read at most');
    for (const [line, message] of [
      [`curl ${'-s '.repeat(30_000)}/a`, 'has more than 300 words'],
      [`curl -${'s'.repeat(90_000)} /a`, 'can not be read from here on: -sssss'],
      [`curl -${'s-'.repeat(45_000)} /a`, 'can not be read from here on: -s-s-'],
    ] as const)
      expect((await ask(line)).errors?.[0]?.message).toContain(message);
  });
});

describe('X-Explain', () => {
  const explained = (
    path: string,
    init: RequestInit = {},
    token = ana,
  ): ReturnType<TestApp['rest']> =>
    app.rest(path, token, { ...init, headers: { ...(init.headers as object), 'x-explain': '1' } });

  it('adds the operation in one line and a link, and changes nothing else', async () => {
    const path = '/task/v1/feeds/list?feed_title=Gr%C3%BC%C3%9Fe&projections=feed_title';
    const [plain, answer] = [await app.rest(path, ana), await explained(path)];
    expect([answer.status, answer.text]).toEqual([plain.status, plain.text]);
    const [operation, variables] = [
      answer.headers.get('x-graphql-operation')!,
      JSON.parse(answer.headers.get('x-graphql-variables')!),
    ];
    expect(operation).toMatch(/^query RetrieveFeeds[\x20-\x7e]+$/);
    expect(variables).toEqual({ first: 20, filter: { feedTitle: 'Grüße' } });
    expect((await app.gql(operation, variables, ana)).data.viewer.feeds.nodes).toEqual([
      { feedKey: 1, feedTitle: 'Grüße' },
    ]);
    expect(answer.headers.get('link')).toBe(
      `</explain?url=${encodeURIComponent(path)}>; rel="alternate"; type="text/html"; title="GraphQL"`,
    );
    expect([...plain.headers.keys()].filter((name) => /graphql|link/.test(name))).toEqual([]);
  });

  it('on a write, whose body the route still reads; on no data; beside the successor of a legacy path', async () => {
    const suggested = await explained('/task/v1/actions/1/suggested-date', {
      method: 'POST',
      body: new URLSearchParams({ sugg_start_date_val: '20270101' }),
    });
    expect([suggested.status, suggested.json['status']]).toEqual([200, 'OK']);
    expect(suggested.headers.get('x-graphql-operation')).toContain('mutation SuggestFeedDates');
    expect(suggested.headers.get('link')).toContain('&method=POST');
    expect(
      (await explained('/task/v1/feeds/list?status=F')).headers.get('x-graphql-operation'),
    ).toContain('query');
    const legacy = await explained(
      '/service/rtm/getCalendarData?source_id=CALENDAR&from_date=20270101&to_date=20270131',
      { method: 'POST' },
    );
    expect(legacy.headers.get('link')).toMatch(/rel="successor-version", <\/explain/);
  });

  it('leaves out what does not fit, and says nothing of requests that are refused or hold a secret', async () => {
    const long = await explained(`/task/v1/feeds/list?feed_title=${'x'.repeat(4_000)}`);
    expect([
      long.headers.has('x-graphql-operation'),
      long.headers.has('x-graphql-variables'),
      long.headers.has('link'),
    ]).toEqual([true, false, false]);
    for (const answer of [
      await explained('/task/v1/feeds/count'),
      await explained('/task/v1/feeds/list', {}, 'wrong'),
      await explained('/session', {
        method: 'POST',
        body: new URLSearchParams({ login: 'ana', password: 'secret of ana' }),
      }),
      await explained('/calendar/abc.ics'),
    ]) {
      expect([...answer.headers.keys()].filter((name) => /graphql|link/.test(name))).toEqual([]);
    }
  });
});
