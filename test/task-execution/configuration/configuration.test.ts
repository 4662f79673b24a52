import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { configurationRecords } from '../../../src/import/demo/configuration.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { organisation } from '../../support/records.ts';

let app: TestApp;
let ana: string;
let chief: string;
/** What the demo configures for everybody, by name. */
const system = new Map(
  [...configurationRecords()].flatMap((record: any) =>
    record.scope === 'SYSTEM' ? [[record.key as string, record.value as unknown]] : [],
  ),
);
const config = (scope: string, key: string, value: unknown, more: object = {}) => ({
  record: 'config',
  scope,
  key,
  value,
  ...(scope === 'SYSTEM' ? {} : { domain: 'acme' }),
  ...more,
});
const types: Record<string, string[]> = {
  CALENDAR: ['default_calendar_view', 'gantt_date_span', 'calendar_setup', 'show_all_days'],
  FEED: [
    'feed_status_data',
    'feed_date_span',
    'sort_order',
    'priority_data',
    'overdue_date_span',
    'allow_bulk_action',
    'no_records',
    'proj_status_css',
    'fyi_config',
    'feed_uiconfig',
    'project_type_data',
    'message_type_data',
  ],
  ATTACHMENT: [
    'max_upload_size',
    'allowed_attachments',
    'comment_max_attach_count',
    'button_max_attach_count',
  ],
  SMART_SEARCH: ['sm_filter'],
  REFRESH: ['feed_refresh_rate', 'msg_refresh_rate'],
  FILTER: [
    'max_filter_name_characters',
    'filter_date_range',
    'max_feed_notes_characters',
    'list_task_limit',
  ],
  FEED_COMPONENT: ['feed_config_details'],
};
const every = Object.values(types).flat();

beforeAll(async () => {
  app = await startApp();
  await app.load([
    ...organisation,
    ...[...system].map(([key, value]) => config('SYSTEM', key, value)),
    {
      record: 'user',
      domain: 'acme',
      login: 'chief',
      display_name: 'Chief',
      unit: 'Berlin',
      permissions: ['DOMAIN_ADMIN', 'SMART_SEARCH'],
    },
  ]);
  ana = await app.signedIn('ana');
  chief = await app.signedIn('chief');
});
afterAll(() => app.close());

async function list(query = '', token = chief): Promise<Record<string, any>> {
  const answer = await app.rest(`/task/v1/config/list${query}`, token);
  expect(answer).toMatchObject({ status: 200, json: { status: 'OK' } });
  return answer.json['config_list'];
}

describe('GET /task/v1/config/list', () => {
  it('F015 F021 answers status OK and a flat config_list, and nothing else', async () => {
    const { json } = await app.rest('/task/v1/config/list', chief);
    expect(Object.keys(json)).toEqual(['status', 'config_list']);
  });

  it('F019 sends all 28 documented fields when config_type is omitted or all', async () => {
    expect(Object.keys(await list())).toEqual(every);
    expect(every).toHaveLength(28);
    for (const all of ['ALL', 'all', 'All', 'FEED,ALL', 'ALL,ALL'])
      expect(await list(`?config_type=${all}`)).toEqual(await list());
  });

  it.each(Object.entries(types))(
    'F016 F017 sends exactly the fields of %s, in any case',
    async (type, fields) => {
      expect(Object.keys(await list(`?config_type=${type}`))).toEqual(fields);
      expect(await list(`?config_type=${type.toLowerCase()}`)).toEqual(
        await list(`?config_type=%20${type}%20,${type}`),
      );
    },
  );

  it.each([
    ['F022', 'default_calendar_view', 'string'],
    ['F023', 'gantt_date_span', 'string'],
    ['F024', 'calendar_setup', 'array'],
    ['F025', 'show_all_days', 'string or null'],
    ['F026', 'feed_status_data', 'object'],
    ['F027', 'feed_date_span', 'string'],
    ['F028', 'sort_order', 'array'],
    ['F029', 'priority_data', 'object'],
    ['F030', 'overdue_date_span', 'integer'],
    ['F031', 'allow_bulk_action', 'string'],
    ['F032', 'no_records', 'string'],
    ['F033', 'proj_status_css', 'object'],
    ['F034', 'fyi_config', 'array'],
    ['F035', 'feed_uiconfig', 'object'],
    ['F036', 'project_type_data', 'object'],
    ['F037', 'message_type_data', 'object'],
    ['F038', 'max_upload_size', 'integer'],
    ['F039', 'allowed_attachments', 'string'],
    ['F040', 'comment_max_attach_count', 'integer'],
    ['F041', 'button_max_attach_count', 'integer'],
    ['F042', 'sm_filter', 'object'],
    ['F043', 'feed_refresh_rate', 'integer'],
    ['F044', 'msg_refresh_rate', 'integer'],
    ['F045', 'max_filter_name_characters', 'string'],
    ['F046', 'filter_date_range', 'integer'],
    ['F047', 'max_feed_notes_characters', 'string'],
    ['F048', 'list_task_limit', 'integer'],
    ['F049', 'feed_config_details', 'array'],
  ])('%s %s is written as %s', async (_, key, type) => {
    const value = (await list())[key];
    const written = Array.isArray(value)
      ? 'array'
      : Number.isInteger(value)
        ? 'integer'
        : value === null || typeof value === 'string'
          ? 'string'
          : typeof value;
    expect(type.split(' ')[0]).toBe(written);
    expect(value).toEqual(system.get(key) ?? null);
  });

  it('F018 merges in the documented order whatever the order asked', async () => {
    const keys = Object.keys(await list('?config_type=FILTER,CALENDAR'));
    expect(keys).toEqual([...types['CALENDAR']!, ...types['FILTER']!]);
    const reversed = Object.keys(types).reverse().join();
    expect((await app.rest(`/task/v1/config/list?config_type=${reversed}`, chief)).text).toBe(
      (await app.rest('/task/v1/config/list', chief)).text,
    );
  });

  it.each([
    '',
    ',',
    'FEED,',
    ',FEED',
    'FEED,,FILTER',
    'NOPE',
    'FEED,NOPE',
    'ALL,NOPE',
    'FEED;FILTER',
    '*',
    '%00',
    'FEED%00',
    'fılter',
    'ſmart_ſearch',
    '__proto__',
    'constructor',
    'x'.repeat(7000),
  ])('F020 refuses %j with E203', async (value) => {
    const answer = await app.rest(`/task/v1/config/list?config_type=${value}`, chief);
    expect(answer).toMatchObject({ status: 400, json: { status: 'ER', errorCode: 'E203' } });
    expect(answer.headers.get('x-error-code')).toBe('E203');
  });

  it('F020 takes the first of a repeated config_type and says so', async () => {
    const answer = await app.rest(
      '/task/v1/config/list?config_type=REFRESH&config_type=FEED',
      chief,
    );
    expect(Object.keys(answer.json['config_list'])).toEqual(types['REFRESH']);
    expect(answer.headers.get('x-ignored-parameters')).toBe('config_type');
  });

  it('needs a session before it looks at config_type', async () => {
    expect(await app.rest('/task/v1/config/list?config_type=NOPE')).toMatchObject({
      status: 401,
      json: { errorCode: 'E202' },
    });
  });

  it('never answers E404: nothing configured is 200', async () => {
    const eve = await app.signedIn('eve');
    expect(await list('?config_type=SMART_SEARCH', eve)).toEqual({});
  });

  it('F015 answers 304 to the weak ETag it gave, until a value changes', async () => {
    const first = await app.rest('/task/v1/config/list', ana);
    const etag = first.headers.get('etag')!;
    expect(etag).toMatch(/^W\/"[\w-]+"$/);
    for (const known of [etag, `"other", ${etag}`, etag.slice(2), '*']) {
      const again = await app.rest('/task/v1/config/list', ana, {
        headers: { 'if-none-match': known },
      });
      expect(again).toMatchObject({ status: 304, text: '' });
      expect(again.headers.get('etag')).toBe(etag);
    }
    expect(
      (await app.rest('/task/v1/config/list', ana, { headers: { 'if-none-match': '"other"' } }))
        .status,
    ).toBe(200);
    await app.load([config('USER', 'list_task_limit', 7, { user: 'ana' })]);
    const changed = await app.rest('/task/v1/config/list', ana, {
      headers: { 'if-none-match': etag },
    });
    expect(changed.status).toBe(200);
    expect(changed.json['config_list']['list_task_limit']).toBe(7);
  });
});

describe('fields', () => {
  const kinds: Record<string, (value: any) => boolean> = {
    string: (value) => typeof value === 'string',
    integer: (value) => Number.isInteger(value),
    array: Array.isArray,
    object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  };
  const documented: [row: number, field: string, kind: string][] = [
    [22, 'default_calendar_view', 'string'],
    [23, 'gantt_date_span', 'string'],
    [24, 'calendar_setup', 'array'],
    [25, 'show_all_days', 'string'],
    [26, 'feed_status_data', 'object'],
    [27, 'feed_date_span', 'string'],
    [28, 'sort_order', 'array'],
    [29, 'priority_data', 'object'],
    [30, 'overdue_date_span', 'integer'],
    [31, 'allow_bulk_action', 'string'],
    [32, 'no_records', 'string'],
    [33, 'proj_status_css', 'object'],
    [34, 'fyi_config', 'array'],
    [35, 'feed_uiconfig', 'object'],
    [36, 'project_type_data', 'object'],
    [37, 'message_type_data', 'object'],
    [38, 'max_upload_size', 'integer'],
    [39, 'allowed_attachments', 'string'],
    [40, 'comment_max_attach_count', 'integer'],
    [41, 'button_max_attach_count', 'integer'],
    [42, 'sm_filter', 'object'],
    [43, 'feed_refresh_rate', 'integer'],
    [44, 'msg_refresh_rate', 'integer'],
    [45, 'max_filter_name_characters', 'string'],
    [46, 'filter_date_range', 'integer'],
    [47, 'max_feed_notes_characters', 'string'],
    [48, 'list_task_limit', 'integer'],
    [49, 'feed_config_details', 'array'],
  ];

  it.each(documented)(
    'F0%i %s is of type %s and shows what is configured',
    async (_, field, kind) => {
      const value = (await list())[field];
      expect(kinds[kind]!(value)).toBe(true);
      expect(value).toEqual(system.get(field));
    },
  );

  it('F022 F025 F049 fall back to "", null and []', async () => {
    const bare = await startApp();
    await bare.load(organisation);
    const { json } = await bare.rest('/task/v1/config/list', await bare.signedIn('ana'));
    expect(json['config_list']).toEqual({
      default_calendar_view: '',
      show_all_days: null,
      feed_config_details: [],
    });
    await bare.close();
  });

  it('F024 F026 F028 F170 write the keys of their items as documented', async () => {
    const values = await list();
    expect(values['calendar_setup'].map((item: object) => Object.keys(item))).toEqual(
      Array(4).fill(['key', 'value', 'on_click', 'view', 'default']),
    );
    expect(Object.keys(values['feed_status_data']).sort()).toEqual([...'cefnopr']);
    expect(Object.keys(values['sort_order'][0])).toEqual(['key', 'description', 'type', 'value']);
    expect(Object.keys(values['feed_config_details'][0])).toEqual([
      'component_id',
      'new_image',
      'css_content',
      'actual_image',
      'show_flag',
    ]);
  });

  it('F042 hides sm_filter from those without the permission', async () => {
    expect(Object.keys(await list('', ana))).toEqual(every.filter((name) => name !== 'sm_filter'));
    expect(await list('?config_type=SMART_SEARCH', ana)).toEqual({});
    expect(Object.keys(await list('?config_type=smart_search'))).toEqual(['sm_filter']);
  });
});

describe('scopes', () => {
  it('D-12 replaces the whole value from SYSTEM over DOMAIN, PROFILE, UNIT and DEPT to USER', async () => {
    const layers = [
      config('DOMAIN', 'priority_data', { 1: { priority_desc: 'D', color: 'c', img: 'i' } }),
      config(
        'PROFILE',
        'priority_data',
        { 2: { priority_desc: 'P', color: 'c', img: 'i' } },
        { profile: 'Clerk' },
      ),
      config(
        'UNIT',
        'priority_data',
        { 3: { priority_desc: 'U', color: 'c', img: 'i' } },
        { unit: 'Berlin' },
      ),
      config(
        'DEPT',
        'priority_data',
        { 4: { priority_desc: 'T', color: 'c', img: 'i' } },
        { dept: 'Bakery' },
      ),
      config(
        'USER',
        'priority_data',
        { 5: { priority_desc: 'A', color: 'c', img: 'i' } },
        { user: 'ana' },
      ),
    ];
    const scopes = ['DOMAIN', 'PROFILE', 'UNIT', 'DEPT', 'USER'];
    // The home department counts before others.
    const other = { 9: { priority_desc: 'O', color: 'c', img: 'i' } };
    const beside = config('DEPT', 'priority_data', other, { dept: 'Logistics' });
    for (const [index, layer] of layers.entries()) {
      await app.load(scopes[index] === 'DEPT' ? [layer, beside] : [layer]);
      expect(Object.keys((await list('?config_type=FEED', ana))['priority_data'])).toEqual([
        String(index + 1),
      ]);
      const { data } = await app.gql(
        '{ viewer { configuration { sources { key scope } feed { priorityData { priority } } } } }',
        {},
        ana,
      );
      expect(data.viewer.configuration.sources).toContainEqual({
        key: 'priority_data',
        scope: scopes[index],
      });
      expect(data.viewer.configuration.feed.priorityData).toEqual([{ priority: index + 1 }]);
    }
    expect(
      Object.keys((await list('?config_type=FEED', await app.signedIn('tess')))['priority_data']),
    ).toEqual(['1']);
  });

  it('F005 takes nothing of identity from the request', async () => {
    const identity =
      'domain_id=2&user_id=1&unit_id=2&dept_id=2&profile_id=2&time_zone_long=UTC&lang_code=de';
    const answer = await app.rest(`/task/v1/config/list?${identity}`, ana);
    expect(answer.json).toEqual((await app.rest('/task/v1/config/list', ana)).json);
  });
});

it('has one new version after an import of many values, and none after the same import', async () => {
  const records = [
    config('DOMAIN', 'overdue_date_span', 31, { domain: 'rival' }),
    config('DOMAIN', 'feed_date_span', '32', { domain: 'rival' }),
    config('USER', 'feed_date_span', '33', { domain: 'rival', user: 'eve' }),
  ];
  const version = async () =>
    (await app.services.db.prisma.domain.findFirstOrThrow()).configVersion;
  const before = await version();
  await app.load(records);
  expect(await version()).toBe(before + 1);
  await app.load(records);
  expect(await version()).toBe(before + 1);
});

describe('viewer.configuration', () => {
  it('F015 F022 to F049 shows the same values as REST, typed', async () => {
    const query = `{ viewer { configuration {
      calendar { defaultCalendarView ganttDateSpan showAllDays calendarSetup { key value onClick view defaultLayout defaultView } }
      feed { feedStatusData { status displayText } feedDateSpan sortOrder { key description type value } priorityData { priority priorityDesc color img } overdueDateSpan
        allowBulkAction noRecords projStatusCss fyiConfig feedUiconfig projectTypeData messageTypeData }
      attachment { maxUploadSize allowedAttachments commentMaxAttachCount buttonMaxAttachCount } smartSearch
      refresh { feedRefreshRate msgRefreshRate } filter { maxFilterNameCharacters filterDateRange maxFeedNotesCharacters listTaskLimit }
      feedComponents { componentId newImage cssContent actualImage showFlag } } } }`;
    const { data, errors } = await app.gql(query, {}, chief);
    expect(errors).toBeUndefined();
    const rest = await list();
    const { calendar, feed, attachment, smartSearch, refresh, filter, feedComponents } =
      data.viewer.configuration;
    expect(calendar).toEqual({
      defaultCalendarView: rest['default_calendar_view'],
      ganttDateSpan: rest['gantt_date_span'],
      showAllDays: true,
      calendarSetup: rest['calendar_setup'].map((item: any) => ({
        key: item.key,
        value: item.value,
        onClick: item.on_click,
        view: item.view,
        defaultLayout: item.default.layout,
        defaultView: item.default.view,
      })),
    });
    expect(feed.feedStatusData).toContainEqual({
      status: 'IN_PROGRESS',
      displayText: rest['feed_status_data'].p.display_text,
    });
    expect(feed.feedStatusData).toHaveLength(7);
    expect(feed.sortOrder[0]).toEqual({ ...rest['sort_order'][0], value: 'ASC' });
    expect(feed).toMatchObject({
      feedDateSpan: rest['feed_date_span'],
      overdueDateSpan: rest['overdue_date_span'],
      allowBulkAction: true,
      noRecords: rest['no_records'],
      projStatusCss: rest['proj_status_css'],
      fyiConfig: rest['fyi_config'],
      feedUiconfig: rest['feed_uiconfig'],
      projectTypeData: rest['project_type_data'],
      messageTypeData: rest['message_type_data'],
    });
    expect(attachment).toEqual({
      maxUploadSize: rest['max_upload_size'],
      allowedAttachments: rest['allowed_attachments'].split(','),
      commentMaxAttachCount: 5,
      buttonMaxAttachCount: 3,
    });
    expect(smartSearch).toEqual(rest['sm_filter']);
    expect(refresh).toEqual({
      feedRefreshRate: rest['feed_refresh_rate'],
      msgRefreshRate: rest['msg_refresh_rate'],
    });
    expect(filter).toEqual({
      maxFilterNameCharacters: '50',
      filterDateRange: 30,
      maxFeedNotesCharacters: '2000',
      listTaskLimit: 50,
    });
    expect(feedComponents[0]).toMatchObject({ componentId: 'feed-header', showFlag: true });
    expect(
      (await app.gql('{ viewer { configuration { smartSearch sources { key } } } }', {}, ana)).data
        .viewer.configuration,
    ).toMatchObject({
      smartSearch: null,
      sources: expect.not.arrayContaining([{ key: 'sm_filter' }]),
    });
  });
});

describe('setConfiguration', () => {
  const mutation = `mutation($input: SetConfigurationInput!) { setConfiguration(input: $input) { __typename
    ... on SetConfigurationPayload { clientMutationId configuration { feed { noRecords } sources { key scope } } }
    ... on ValidationError { problems { path code } } ... on NotFoundError { entity } ... on ForbiddenError { code } } }`;
  const set = async (input: object, token = chief) =>
    (await app.gql(mutation, { input }, token)).data.setConfiguration;
  beforeEach(() => set({ key: 'no_records', scope: 'DOMAIN' }));

  it('takes effect at once, for everyone it is meant for, and is undone by null', async () => {
    expect(
      await set({ key: 'no_records', scope: 'DOMAIN', value: '33', clientMutationId: 'm1' }),
    ).toMatchObject({
      __typename: 'SetConfigurationPayload',
      clientMutationId: 'm1',
      configuration: {
        feed: { noRecords: '33' },
        sources: expect.arrayContaining([{ key: 'no_records', scope: 'DOMAIN' }]),
      },
    });
    expect((await list('', ana))['no_records']).toBe('33');
    expect((await list('', await app.signedIn('eve')))['no_records']).toBe('20');
    await set({ key: 'no_records', scope: 'USER', subject: 'Ana', value: '44' });
    await set({ key: 'no_records', scope: 'UNIT', subject: 'berlin', value: '55' });
    expect((await list('', ana))['no_records']).toBe('44');
    expect((await list())['no_records']).toBe('55');
    await set({ key: 'no_records', scope: 'USER', subject: 'ana', value: null });
    await set({ key: 'no_records', scope: 'UNIT', subject: 'Berlin' });
    expect((await list('', ana))['no_records']).toBe('33');
  });

  it('refuses values by the rules of the importer', async () => {
    for (const [key, value] of [
      ['no_records', 20],
      ['feed_refresh_rate', '60000'],
      ['show_all_days', 'J'],
      ['calendar_setup', {}],
      ['allowed_attachments', 'a b'],
      ['sm_filter', { text: 'x'.repeat(100_000) }],
    ] as const) {
      expect(await set({ key, scope: 'DOMAIN', value })).toMatchObject({
        __typename: 'ValidationError',
        problems: [{ path: expect.arrayContaining(['input', 'value']) }],
      });
    }
    for (const key of ['nope', '__proto__', 'constructor'])
      expect(await set({ key, scope: 'DOMAIN', value: 1 })).toMatchObject({
        problems: [{ path: ['input', 'key'], code: 'UNKNOWN_KEY' }],
      });
  });

  it('keeps to the own domain and never reaches SYSTEM', async () => {
    expect(await set({ key: 'no_records', scope: 'USER', subject: 'eve', value: '9' })).toEqual({
      __typename: 'NotFoundError',
      entity: 'User',
    });
    expect(await set({ key: 'no_records', scope: 'DEPT', subject: 'Nowhere', value: '9' })).toEqual(
      { __typename: 'NotFoundError', entity: 'Dept' },
    );
    expect(await set({ key: 'no_records', scope: 'PROFILE', value: '9' })).toMatchObject({
      problems: [{ path: ['input', 'subject'] }],
    });
    expect(
      await set({ key: 'no_records', scope: 'DOMAIN', subject: 'rival', value: '9' }),
    ).toMatchObject({ problems: [{ path: ['input', 'subject'] }] });
    const { errors } = await app.gql(
      mutation,
      { input: { key: 'no_records', scope: 'SYSTEM', value: '9' } },
      chief,
    );
    expect(errors?.[0]?.extensions['code']).toBe('BAD_USER_INPUT');
  });

  it('needs the permission DOMAIN_ADMIN', async () => {
    expect(
      await set({ key: 'no_records', scope: 'USER', subject: 'ana', value: '9' }, ana),
    ).toEqual({ __typename: 'ForbiddenError', code: 'FORBIDDEN' });
  });
});
