import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDatasetApp, type DatasetApp } from '../support/datasets.ts';
import { feed, organisation } from '../support/records.ts';

let app: DatasetApp;
let ana: string;
beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  await app.load([...organisation, feed(1, { status: 'C' }), feed(2, {})]);
  ana = await app.signedIn('ana');
});
afterAll(() => app.close());

const [COMPLETED, NEW] = ['RmVlZDox', 'RmVlZDoy'];

describe('a wrong value in a document', () => {
  const day = 'Expected a day yyyy-MM-dd, got';
  it.each([
    [
      'viewer { feedCounts(startDate: "20261101", endDate: "2026-11-30") { total } }',
      `Argument "startDate" of "feedCounts": ${day} "20261101"`,
    ],
    [
      'viewer { feeds(filter: { selectedDates: ["2026-11-01", "x"] }) { totalCount } }',
      `Argument "filter.selectedDates[1]" of "feeds": ${day} "x"`,
    ],
    [
      'viewer { feeds(orderBy: [{ field: PRIORITY }], after: 5) { totalCount } }',
      'Argument "after" of "feeds": Expected a cursor, got 5',
    ],
    [
      'viewer { feedChanges(fromTime: "x") { hasMore } }',
      'Argument "fromTime" of "feedChanges": Expected epoch milliseconds, got "x"',
    ],
    [
      'viewer { feedChanges(feedKeys: [1, "x"]) { hasMore } }',
      'Argument "feedKeys[1]" of "feedChanges": Expected an integer of at most 53 bits, got "x"',
    ],
    [
      'feed(feedKey: 99999999999999999999) { id }',
      'Argument "feedKey" of "feed": Expected an integer of at most 53 bits, got 100000000000000000000',
    ],
    ['dataset(uuid: "x") { id }', 'Argument "uuid" of "dataset": Expected a UUID, got "x"'],
  ])('is named with its argument: %s', async (query, message) => {
    const { errors, data } = await app.gql(`{ ${query} }`, {}, ana);
    expect(data).toBeUndefined();
    expect(errors).toMatchObject([
      { message, locations: [{ line: 1 }], extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });

  it.each([
    [
      'suggestFeedDates(input: { feedId: "RmVlZDoy", startDate: "20261130" }) { __typename }',
      `Argument "input.startDate" of "suggestFeedDates": ${day} "20261130"`,
      'BAD_USER_INPUT',
    ],
    [
      'createExternalTask(input: { name: "x", expiryTime: "2027-01-01" }) { __typename }',
      'Argument "input.expiryTime" of "createExternalTask": Expected an RFC 3339 instant, e.g. 2026-11-20T12:00:00Z, got "2027-01-01"',
      'BAD_USER_INPUT',
    ],
    [
      'issueApiKey(input: { customerId: "x", expiresAt: "9999-12-31T23:59:59-12:00" }) { __typename }',
      'Argument "input.expiresAt" of "issueApiKey": Expected an RFC 3339 instant, e.g. 2026-11-20T12:00:00Z, got "9999-12-31T23:59:59-12:00"',
      'BAD_USER_INPUT',
    ],
    [
      'enableEncryption(input: { workspaceId: "x", checksum: "x" }) { __typename }',
      'Argument "input.checksum" of "enableEncryption": Expected a checksum, the base64 of 32 bytes, of 44 characters',
      'INVALID_CHECKSUM',
    ],
    [
      'changeFeedStatus(input: { feedId: "x", status: C }) { __typename }',
      'Argument "input.status" of "changeFeedStatus": Value "C" does not exist in "FeedStatus" enum. Did you mean the enum value "NEW"?',
      'GRAPHQL_VALIDATION_FAILED',
    ],
  ])('is named with its place in the input: %s', async (mutation, message, code) => {
    const { status, errors } = await app.gql(`mutation { ${mutation} }`, {}, ana);
    expect(
      errors?.map((error) => [
        error.message.replace(/ Did you mean.*/, ''),
        error.extensions['code'],
      ]),
    ).toEqual([[message.replace(/ Did you mean.*/, ''), code]]);
    expect(status).toBeLessThan(500);
  });

  it('is named inside directives and behind several levels', async () => {
    const { errors } = await app.gql(
      '{ viewer { login @include(if: "x") calendar(source: CALENDAR, from: "2026-11-01", to: "2026-11-02", filter: { weekDates: "y" }) { __typename } } }',
      {},
      ana,
    );
    expect(errors?.map(({ message }) => message)).toEqual([
      'Argument "if" of "@include": Boolean cannot represent a non boolean value: "x"',
      `Argument "filter.weekDates" of "calendar": ${day} "y"`,
    ]);
  });

  it('is named with its variable, never with a failure of the server', async () => {
    for (const [type, value, field] of [
      [
        'LocalDate!',
        '20261101',
        'viewer { feedCounts(startDate: $v, endDate: "2026-11-30") { total } }',
      ],
      ['UUID!', 'x', 'dataset(uuid: $v) { id }'],
      ['SafeInt!', 'x', 'feed(feedKey: $v) { id }'],
    ])
      expect(
        (await app.gql(`query ($v: ${type}) { ${field} }`, { v: value }, ana)).errors,
      ).toMatchObject([
        {
          message: expect.stringMatching(/^Variable "\$v" got invalid value/),
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ]);
    const { status, errors } = await app.gql(
      'mutation ($v: EncryptionChecksum!) { enableEncryption(input: { workspaceId: "x", checksum: $v }) { __typename } }',
      { v: 'x' },
      ana,
    );
    expect([status, errors?.[0]?.extensions['code']]).toEqual([400, 'INVALID_CHECKSUM']);
  });
});

it.each([
  ['calendar(source: CALENDAR, from: "2026-11-30", to: "2026-11-01")', 'from is after to', 'E147'],
  [
    'calendar(source: CALENDAR, from: "2020-11-30", to: "2026-11-01")',
    'from and to must not be more than 1096 days apart',
    'E900',
  ],
  [
    'calendar(source: STORE_WALK_CAL, from: "2026-11-30", to: "2026-11-30", orderBy: [{ field: PRIORITY }])',
    "orderBy: STORE_WALK_CAL can't be sorted by PRIORITY",
    'E900',
  ],
  [
    'leadershipCalendar(type: MONTHLY, month: 13, year: 2026)',
    'month must be between 1 and 12',
    'E145',
  ],
  [
    'leadershipCalendar(type: MONTHLY, month: 1, year: 26000)',
    'year must be between 1000 and 9999',
    'E146',
  ],
  [
    'leadershipCalendar(type: ANNUAL, month: 1, year: 26)',
    'year must be between 1000 and 9999',
    'E146',
  ],
  ['feedChanges(first: 0)', 'first must be between 1 and 100', 'E900'],
  ['feedChanges(after: "x")', 'after is not a usable position of the change log', 'E901'],
  ['feeds(after: "x")', 'after is not a usable cursor of this list', 'E901'],
  ['feeds(before: "x")', 'before is not a usable cursor of this list', 'E901'],
  ['workspaces(last: 1, before: "x")', 'before is not a usable cursor of this list', 'E901'],
  ['feeds(last: 101)', 'last must be between 0 and 100', 'E900'],
])('GraphQL names its own arguments: %s', async (field, message, legacyCode) => {
  const select =
    field.startsWith('feeds') || field.startsWith('work') ? 'nodes { id }' : '__typename';
  const { errors } = await app.gql(`{ viewer { ${field} { ${select} } } }`, {}, ana);
  expect(errors).toMatchObject([{ message, extensions: { legacyCode } }]);
});

it.each([
  [
    `changeFeedStatus(input: { feedId: "${COMPLETED}", status: NEW })`,
    "A feed can't go from COMPLETED to NEW",
    [],
  ],
  [
    `suggestFeedDates(input: { feedId: "${NEW}", startDate: "2026-11-30", endDate: "2026-11-01" })`,
    'input.startDate: the suggested start 2026-11-30 is after the suggested end 2026-11-01',
    ['input', 'startDate'],
  ],
  [
    'createCalendarSubscription(input: { idempotencyKey: "" })',
    'input.idempotencyKey: must be 1 to 255 printable ASCII characters',
    ['input', 'idempotencyKey'],
  ],
  ['createWorkspace(input: { name: "" })', 'name: name is required', ['input', 'name']],
])('mutations answer in words of GraphQL: %s', async (mutation, message, path) => {
  const name = mutation.split('(')[0] ?? '';
  const { data, errors } = await app.gql(
    `mutation { ${mutation} { ... on UserError { message } ${path.length > 0 ? '... on ValidationError { problems { path } }' : ''} } }`,
    {},
    ana,
  );
  expect(errors).toBeUndefined();
  expect(data[name].message).toBe(message);
  expect((data[name].problems ?? []).flatMap((problem: any) => problem.path)).toEqual(path);
});

it('names the arguments of a note for a month, and the id that is none', async () => {
  const note = (month: number, year: number): string =>
    `mutation { setMonthlyNote(input: { month: ${month}, year: ${year}, note: "x" }) { __typename } }`;
  for (const [query, message] of [
    [note(13, 2026), 'input.month must be between 1 and 12'],
    [note(1, 0), 'input.year must be between 1000 and 9999'],
    [note(1, 999), 'input.year must be between 1000 and 9999'],
    ['{ node(id: "x") { id } }', 'id is not a global id'],
  ] as const)
    expect((await app.gql(query, {}, ana)).errors?.[0]?.message).toBe(message);
});

it.each([
  ['text/plain', {}],
  ['text/plain', { 'x-requested-with': 'x' }],
  ['application/xml', { 'x-requested-with': 'x' }],
  ['application/x-www-form-urlencoded', {}],
  ['application/json', { 'content-encoding': 'gzip' }],
])('refuses a GraphQL body of the type %s with the code of media types', async (type, headers) => {
  const { status, json } = await app.rest('/graphql', undefined, {
    method: 'POST',
    headers: { 'content-type': type, ...headers },
    body: '{}',
  });
  expect([status, json['errors'][0].extensions]).toEqual([
    415,
    { code: 'UNSUPPORTED_MEDIA_TYPE', legacyCode: 'E903' },
  ]);
});

it('keeps the texts of REST', async () => {
  const post = (body: string): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const texts = async (path: string, init?: RequestInit): Promise<string> =>
    (await app.rest(path, ana, init)).text;
  expect(
    await texts(
      '/task/v1/actions/2/suggested-date',
      post('{"sugg_start_date_val":"20261102","sugg_end_date_val":"20261101"}'),
    ),
  ).toBe(
    '{"status":"ER","errorCode":"E900","response":"sugg_start_date_val: the suggested start 20261102 is after the suggested end 20261101"}',
  );
  expect(await texts('/task/v1/actions/2/suggested-date', post('[]'))).toBe(
    '{"status":"ER","errorCode":"E900","response":"the body must be a JSON object"}',
  );
  expect(
    await texts('/task/v1/feeds/list?sort_by=colour', { headers: { prefer: 'handling=strict' } }),
  ).toBe(
    '{"status":"ER","errorCode":"E900","response":"sort_by: may name profileId, endDateTime, priority, startDateTime, feedTitle, feedTypeId"}',
  );
  expect(await texts('/task/v1/feeds/list?starting_after=x')).toBe(
    '{"status":"ER","errorCode":"E901","response":"The cursor is not usable here"}',
  );
  expect(
    await texts('/task/v1/calendar?source_id=CALENDAR&from_date=20261130&to_date=20261101'),
  ).toBe('{"status":"ER","errorCode":"E147","response":"from_date is after to_date"}');
  expect(await texts('/task/v1/calendar/leadership?cal_type=M&month_no=13&year=2026')).toBe(
    '{"status":"ER","errorCode":"E145","response":"month_no is required (1 to 12)"}',
  );
  expect(
    await texts('/api/Workspaces/create', {
      ...post('{"name":"Stores"}'),
      headers: { 'content-type': 'application/json', 'idempotency-key': '' },
    }),
  ).toBe(
    '{"data":null,"errorMessage":"Idempotency-Key must be 1 to 255 printable ASCII characters","errorCodes":["VALIDATION_ERROR"],"isSuccess":false}',
  );
  expect(await texts('/api/Workspaces/create', post('{"name":""}'))).toBe(
    '{"data":null,"errorMessage":"name: name is required","errorCodes":["NAME_REQUIRED"],"isSuccess":false}',
  );
});
