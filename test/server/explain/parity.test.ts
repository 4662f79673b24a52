import fc from 'fast-check';
import { parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey } from '../../../src/accounts/api-keys/create-api-key.ts';
import type { Route } from '../../../src/core/rest/route.ts';
import { checkDocument } from '../../../src/server/graphql/limits/check-document.ts';
import { limits } from '../../../src/server/graphql/limits/limits.ts';
import { legacyRoutes as routes } from '../../../src/server/routes/routes.ts';
import { schema } from '../../../src/server/graphql/schema/schema.ts';
import {
  currentGraphqlName,
  feedFieldNames,
  graphqlName,
  isFeedFieldName,
} from '../../../src/task-execution/feeds/fields/feed-fields.ts';
import { startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { jpeg } from '../../support/images.ts';
import { NOON, type RestAnswer } from '../../support/app.ts';
import { january } from '../../task-execution/calendar/store.ts';

let app: DatasetApp;
let ana: string;
let customer: Record<string, string>;
/** Values that parameters are given, by name; filled with what exists. */
const known: Record<string, string[]> = {};

beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  await app.load([
    ...january,
    { record: 'leadership_category', domain: 'acme', name: 'First', position: 1 },
    {
      record: 'leadership_legend',
      domain: 'acme',
      name: 'Sales',
      legend_type_id: 10,
      color: '#0a0',
      feed_keys: [30, 51],
    },
    { record: 'calendar_note', user: 'ana', date: '20270105', note: 'Order flour' },
    { record: 'monthly_note', domain: 'acme', user: 'ana', month: '202701', note: 'My January' },
  ]);
  const configured = {
    priority_data: {
      1: { priority_desc: 'High', color: '#a00', img: 'high.png' },
      2: { priority_desc: 'Low', color: '#0a0', img_path: 'low.png' },
    },
    sort_order: [{ key: 'priority', description: 'Priority', type: 'numeric', value: 'D' }],
    allow_bulk_action: 'Y',
    no_records: '25',
    allowed_attachments: 'png,pdf',
    feed_refresh_rate: 30_000,
    feed_status_data: Object.fromEntries(
      [...'prcefno'].map((code) => [code, { display_text: code }]),
    ),
  };
  await app.load(
    Object.entries(configured).map(([key, value]) => ({
      record: 'config',
      scope: 'SYSTEM',
      key,
      value,
    })),
  );
  ana = await app.signedIn('ana');
  const { id } = await app.services.db.prisma.domain.findUniqueOrThrow({ where: { name: 'acme' } });
  customer = {
    'API-Key': (await createApiKey(app.services, { customerId: 'shop', domainId: id })).key,
    customerId: 'shop',
  };
  const workspace = await app.workspace();
  const [full, empty] = [
    await app.dataset(workspace, 'Full'),
    await app.dataset(workspace, 'Empty'),
  ];
  const images = [];
  for (const size of [40, 50, 60, 70, 80])
    images.push(await app.image(full, await jpeg(size, size)));
  await app.project(workspace, full);
  const task = await app.rest('/api/task-tracker-external/tasks', undefined, {
    method: 'POST',
    headers: { ...customer, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Restock', priority: 'HIGH', expiryTime: '2027-01-09T10:00:00Z' }),
  });
  const page = await app.rest('/task/v1/feeds/list?limit=3', ana);
  Object.assign(known, {
    'retrieve-type': ['list', 'count', 'list-latest', 'lists'],
    limit: ['1', '3', '100', '0', '500', '-1', 'x', '1e2'],
    starting_after: [page.json['next_cursor'], 'x'],
    ending_before: [page.json['next_cursor'], 'x'],
    projections: [
      'feed_title,status',
      'pin,follow,time_to_act,panel_config,nope',
      'x',
      feedFieldNames.join(','),
    ],
    start_date: ['20270101', '2027-01-01', ''],
    end_date: ['20270131', '20270110', 'x'],
    from_time: [String(NOON - 3_600_000), '0', '-1', '1', 'x'],
    today_from: [String(Date.UTC(2027, 0, 8)), '0', 'x'],
    feed_keys: ['1,2,3', '2,x', 'x', '999'],
    status: ['N', 'N,P,O', 'c', 'X', 'C,X', ','],
    priority: ['1', '1,2', 'x', '1,x', '99999999999'],
    feed_title: ['a', 'ALPHA', '100%25_off', '%2525', 'it\'s \u00e4 "quote" \\ $x', '\0'],
    view_type: ['MV', 'DV', 'SV', 'TV', ''],
    task_view: ['P', 'T', 'X'],
    sort_by: [
      'priority,endDateTime',
      'feedTitle',
      'end_date_time',
      'nope',
      'priority,nope',
      'profileId',
    ],
    sort_order: ['A', 'D', 'D,A', 'X', 'A,A,A'],
    filter_id: ['weekly', 'store', 'tasks', 'nope'],
    tags: ['fresh', 'Fresh,x', 'x'],
    message_type: ['FYI', 'FYI,ALR', ','],
    feed_type_id: ['A', 'A,B', 'PROMO'],
    cut_off_time: [String(Date.UTC(2027, 0, 8)), '0', 'x', '9007199254740991'],
    selected_dates: ['20270105,20270110', '20270105', '20271399'],
    week_dates: ['20270105,20270110', '20260105', 'x'],
    source_id: [
      'CALENDAR',
      'STORE_PROJECTS',
      'STORE_SUGGESTED_DATE_PROJECTS',
      'STORE_WALK_CAL',
      'NOPE',
    ],
    from_date: ['20270101', '20270105', '20270230'],
    to_date: ['20270131', '20270120', '20990101', '20260101'],
    cal_layout: ['M', 'W', 'P', 'x'],
    local_projects: ['Y', 'N', 'A', 'x'],
    active_projects: ['Y', 'N', 'x'],
    home_dept_id: ['1', '0', 'x'],
    cal_filter_unit: ['1', '2,x', 'x'],
    cal_filter_exc_level: ['1', '2'],
    p_requestor_level: ['HQ', 'null'],
    favorite: ['1', '0', '-1', 'x'],
    p_sort_column_1: ['priority', 'feedTitle', 'profileId', 'x'],
    p_sort_column_order_1: ['1', '-1', 'x'],
    cal_type: ['M', 'A', 'X'],
    month_no: ['1', '01', '13', 'x'],
    year: ['2027', '2026', '27'],
    legend_type: ['10', '20', 'x'],
    show_only_my_projects: ['true', 'FALSE', 'x'],
    show_field_projects: ['true', 'false'],
    config_type: [
      'ALL',
      'feed,calendar',
      'FILTER',
      'smart_search',
      'refresh,attachment,feed_component',
      'x',
      '',
    ],
    workspaceId: [workspace, workspace.replaceAll('-', '').toUpperCase(), full, 'x'],
    DatasetId: [full, empty, workspace, 'x'],
    PageSize: ['1', '2', '3', '150', '0'],
    PageNumber: ['1', '2', '3', '9', '0'],
    imageId: [...images, full, 'x'],
    id: [task.json['id'], full, 'x'],
    token: ['secret'],
    jobId: [full, 'x'],
  });
}, 120_000);
afterAll(() => app.close());

const statuses: Record<string, string> = {
  NEW: 'N',
  REVIEWED: 'R',
  IN_PROGRESS: 'P',
  OVERDUE: 'O',
  COMPLETED: 'C',
  FORCE_CLOSED: 'F',
  EXPIRED: 'E',
  DRAFT: 'Draft',
  PUBLISHED: 'Published',
  ASC: 'A',
  DESC: 'D',
};

/** A value of either face in one form: flags as 0 and 1, times and days as digits, codes by their letters. */
function plain(value: any): any {
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || value === undefined) return null;
  if (typeof value === 'object')
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [graphqlName(name), plain(member)]),
    );
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value))
    return value.replaceAll(/\D/g, '').slice(0, 14);
  return statuses[String(value)] ?? String(value);
}

/** Feeds of REST, by the names that GraphQL has for their fields. */
function plainFeeds(rows: any[] | undefined): any {
  return plain(
    rows?.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          isFeedFieldName(name) ? currentGraphqlName(name) : name,
          value,
        ]),
      ),
    ),
  );
}

type Ask = (variables: object) => Promise<any>;
/** What both faces say, in one form each. `ask` runs the operation again with other variables. */
type Comparison = (
  rest: Record<string, any>,
  data: any,
  ask: Ask,
  asked: URLSearchParams,
) => Promise<[unknown, unknown]> | [unknown, unknown];

const byUuid = (nodes: any[] | undefined): any =>
  plain(nodes?.map(({ uuid, ...others }: any) => ({ id: uuid, ...others })) ?? null);

/** Everything that a connection holds, page after page. */
async function follow(take: (data: any) => any, data: any, ask: Ask): Promise<any[]> {
  const rows = [];
  for (
    let page = take(data);
    page;
    page = page.pageInfo.hasNextPage
      ? take(await ask({ after: page.pageInfo.endCursor }))
      : undefined
  )
    rows.push(...page.nodes);
  return rows;
}

const list: Comparison = (rest, { viewer }) => {
  const { nodes, pageInfo } = viewer.feeds ?? viewer.tasks;
  const [next, previous] = [
    pageInfo.hasNextPage ? pageInfo.endCursor : null,
    pageInfo.hasPreviousPage ? pageInfo.startCursor : null,
  ];
  if (rest['status'] === 'ER') return [[], nodes];
  return [
    [plainFeeds(rest['feed_details']), rest['next_cursor'], rest['previous_cursor']],
    [plain(nodes), next, previous],
  ];
};

const feeds: Comparison = (rest, data, ask, asked) => {
  const { feedCounts, feedChanges } = data.viewer;
  if (feedCounts)
    return [
      plain(rest['count_data'] ?? { total: 0 }),
      plain(rest['count_data'] ? feedCounts : { total: feedCounts.total }),
    ];
  if (!feedChanges) return list(rest, data, ask, asked);
  const nodes = feedChanges.edges.map((edge: any) => edge.node);
  if (nodes[0]?.__typename === 'ResyncRequired') return [rest['errorCode'], nodes[0].legacyCode];
  return [
    plainFeeds(rest['feed_list_latest'] ?? []),
    plain(nodes.flatMap((node: any) => node.feed ?? [])),
  ];
};

const calendar: Comparison = async (rest, data, ask) => {
  const { calendar } = data.viewer;
  const { feed_details, project_data } = rest['calendar_data'] ?? {};
  const items = calendar.feeds
    ? await follow((page) => page.viewer.calendar.feeds, data, ask)
    : (calendar.projects ?? calendar.walks);
  const layouts: Record<string, string> = { MONTH: 'M', WEEK: 'W', DAY: 'D', PINBOARD: 'P' };
  const range =
    rest['layout'] === undefined
      ? []
      : [layouts[calendar.layout], calendar.calendarType, plain(calendar.selectedDates)];
  return [
    [
      feed_details ? plainFeeds(feed_details) : plain(project_data ?? []),
      ...(rest['layout'] === undefined
        ? []
        : [rest['layout'], rest['calendarType'], rest['selectedDates']]),
    ],
    [plain(items), ...range],
  ];
};

const leadership: Comparison = (rest, { viewer: { leadershipCalendar: found } }) => {
  if (rest['status'] === 'ER')
    return [
      [0, 0, 0],
      [found.projects.length, found.notes.length, found.monthlyNotes.length],
    ];
  const data = rest['leadership_data'];
  const keyed = (notes: Record<string, any[]>): unknown =>
    Object.entries(notes).flatMap(([key, items]) =>
      items.map(({ notes_id, note }) => [key, notes_id, note]),
    );
  return [
    [
      plain(data.leadership_calender_project_data),
      plain(data.leadership_categories),
      plain(data.leadership_admin_legend_details),
      keyed(data.notes),
      keyed(data.monthly_notes),
    ],
    [
      plain(
        found.projects.map(({ legend, ...project }: any) => ({
          ...project,
          legendId: legend?.legendId ?? null,
        })),
      ),
      plain(found.categories.map(({ categoryId: id, ...row }: any) => ({ id, ...row }))),
      plain(found.legends.map(({ legendId: id, ...row }: any) => ({ id, ...row }))),
      found.notes.map(({ date, notesId, note }: any) => [date.replaceAll('-', ''), notesId, note]),
      found.monthlyNotes.map(({ year, month, notesId, note }: any) => [
        `${year}${String(month).padStart(2, '0')}`,
        notesId,
        note,
      ]),
    ],
  ];
};

/** The values that both faces write alike, by their names in GraphQL; lists and objects that GraphQL shapes anew are compared by what they hold. */
const configuration: Comparison = (rest, { viewer: { configuration: found } }) => {
  const { smartSearch, feedComponents, ...groups } = found;
  const ours: Record<string, any> = Object.assign({}, ...Object.values(groups));
  const { sm_filter, feed_config_details, ...theirs } = rest['config_list'];
  const pairs = Object.entries<any>(theirs).map(
    ([name, value]) => [name, value, ours[graphqlName(name)]] as const,
  );
  const shape = (value: any): unknown =>
    value === null || typeof value !== 'object'
      ? value === 'Y'
        ? '1'
        : plain(value ?? false)
      : Object.keys(value).length;
  const lists = (value: any): unknown =>
    typeof value === 'string' ? value.split(',').length : shape(value);
  return [
    [
      sm_filter ?? null,
      feed_config_details ?? null,
      ...pairs.map(([name, value, other]) => [
        name,
        Array.isArray(other) ? lists(value) : shape(value),
      ]),
    ],
    [
      smartSearch ?? null,
      feedComponents ?? null,
      ...pairs.map(([name, , other]) => [name, shape(other)]),
    ],
  ];
};

const image: Comparison = (rest, data) => [
  rest['isSuccess'] === false ? null : true,
  data.image && true,
];

/** How the answers to each path that reads are compared. */
const comparisons: Record<string, Comparison> = {
  '/task/v1/config/list': configuration,
  '/task/v1/calendar': calendar,
  '/service/rtm/getCalendarData': calendar,
  '/calendar/{token}.ics': () => [null, null],
  '/task/v1/feeds/{retrieve-type}': feeds,
  '/task/v1/feeds/list/tasks': list,
  '/task/v1/calendar/leadership': leadership,
  '/service/execute/getLeadershipCalendarData': leadership,
  '/api/Workspaces': async (rest, data, ask) => [
    plain(rest['data']),
    byUuid(await follow((page) => page.viewer.workspaces, data, ask)),
  ],
  '/api/Datasets': async (rest, data, ask) => [
    plain(rest['data']),
    data.workspace && byUuid(await follow((page) => page.workspace.datasets, data, ask)),
  ],
  '/api/Projects': async (rest, data, ask) => [
    plain(
      rest['data']?.map(({ imageCount: imagesCount, ...row }: any) => ({ ...row, imagesCount })) ??
        null,
    ),
    data.workspace && byUuid(await follow((page) => page.workspace.projects, data, ask)),
  ],
  '/api/Datasets/images': async (rest, data, ask, asked) => {
    if (rest['data'] === null) return [null, data.dataset];
    const [size, number] = [Number(asked.get('PageSize')), Number(asked.get('PageNumber'))];
    const rows = await follow((page) => page.dataset.images, data, ask);
    return [
      [
        plain(
          rest['data'].data.map(({ createdDate: createdAt, ...row }: any) => ({
            ...row,
            createdAt,
          })),
        ),
        rest['data'].totalCount,
      ],
      [byUuid(rows.slice((number - 1) * size, number * size)), data.dataset.images.totalCount],
    ];
  },
  '/api/Images/download': image,
  '/api/Images/downloadThumb': image,
  '/exports/{jobId}': (rest, data) => [
    rest['isSuccess'] === false ? null : true,
    data.node && true,
  ],
  '/dataset-versions/{versionId}/manifest': (rest, data) => [
    rest['isSuccess'] === false ? null : true,
    data.node && true,
  ],
  '/api/task-tracker-external/tasks/{id}': (rest, data) => [
    rest['id'] === undefined ? null : plain(rest),
    data.node && byUuid([data.node])[0],
  ],
};

/** A request of a route: each parameter of its table absent, as it may be, or as it may not. */
function requestOf(route: Route): fc.Arbitrary<{ path: string; query: URLSearchParams }> {
  const valueOf = (name: string): fc.Arbitrary<string> =>
    fc.constantFrom(...(known[name] ?? ['1', '0', 'x', '']));
  const parts = route.parameters.map((parameter) => {
    const value = valueOf(parameter.name);
    if (parameter.in === 'path') return value.map((text) => [parameter, text] as const);
    const usable = value.map((text) => [parameter, text] as const);
    return fc.oneof(
      { weight: parameter.required ? 12 : 1, arbitrary: usable },
      {
        weight: parameter.required ? 1 : 5,
        arbitrary: fc.constant([parameter, undefined] as const),
      },
    );
  });
  const extra = fc.constantFrom('', 'user_id', 'unknown');
  return fc.tuple(fc.tuple(...parts), extra).map(([values, stranger]) => {
    let path = route.path;
    const query = new URLSearchParams();
    for (const [parameter, value] of values) {
      if (value === undefined) continue;
      if (parameter.in === 'path')
        path = path.replace(`{${parameter.name}}`, encodeURIComponent(value));
      else query.set(parameter.name, value);
    }
    if (stranger !== '') query.set(stranger, '1');
    return { path, query };
  });
}

const translation = `query ($method: String, $url: String!, $body: String) {
  translateLegacyRequest(method: $method, url: $url, body: $body) { path kind operation variables estimatedCost ignoredParameters { name reason defaulted } notes }
}`;

const reading = routes.filter(
  ({ method, path }) => method === 'GET' || path.startsWith('/service/'),
);

describe('a legacy request and its translation say the same', () => {
  const translatedTo = (route: Route): string =>
    route.family === 'dataset' ? app.tokens.owner : ana;

  // An export is a job in GraphQL: its translation is a mutation, which nothing here runs.
  it.each(
    reading
      .filter(({ operation }) => operation !== 'exportProject')
      .map((route) => [`${route.method} ${route.path}`, route] as const),
  )(
    '%s',
    async (_, route) => {
      const compare = comparisons[route.path];
      expect(compare, 'a comparison in this file').toBeDefined();
      let compared = 0;
      await fc.assert(
        fc.asyncProperty(requestOf(route), async ({ path, query }) => {
          const token = route.auth === 'customer' ? undefined : translatedTo(route);
          const isPost = route.method === 'POST';
          const url = isPost || query.size === 0 ? path : `${path}?${query}`;
          const body = isPost ? query.toString() : undefined;
          const init: RequestInit = {
            method: route.method,
            headers: {
              ...(route.auth === 'customer' && customer),
              ...(isPost && { 'content-type': 'application/x-www-form-urlencoded' }),
            },
            ...(isPost && { body: body! }),
          };
          const rest: RestAnswer = await app.rest(url, token, init);
          const answer = await app.gql(translation, { method: route.method, url, body });
          if (answer.errors) {
            const extensions = answer.errors[0]?.extensions ?? {};
            expect(rest.status, JSON.stringify(answer.errors)).toBeGreaterThanOrEqual(400);
            if (route.family === 'task')
              expect(rest.json['errorCode']).toBe(extensions['legacyCode']);
            return;
          }
          const { operation, variables, estimatedCost, kind, ignoredParameters } =
            answer.data.translateLegacyRequest;
          expect(kind).toBe('READ');
          const document = parse(operation);
          expect([checkDocument(document), ...validate(schema, document)]).toEqual([undefined]);
          const said = rest.headers.get('x-ignored-parameters')?.split(', ') ?? [];
          // A translation does not look whether there is the system filter of a calendar.
          const known = said.filter((name) => name !== 'filter_id' || !variables.filterId);
          if (route.family === 'task' && rest.status === 200)
            expect(ignoredParameters.map(({ name }: any) => name).sort()).toEqual(known.sort());
          const ask: Ask = async (more) => {
            const run = await app.gql(
              operation,
              { ...variables, ...more },
              token,
              route.auth === 'customer' ? customer : {},
            );
            if (run.errors && rest.status === 400)
              return { code: run.errors[0]!.extensions['legacyCode'] };
            expect(run.errors, operation).toBeUndefined();
            expect(run.extensions?.['cost'].requested).toBe(estimatedCost);
            return run.data;
          };
          expect(estimatedCost).toBeLessThanOrEqual(limits.cost);
          const data = await ask({});
          const [left, right] =
            'code' in data
              ? [rest.json['errorCode'], data.code]
              : await compare!(rest.json, data, ask, query);
          expect(right).toEqual(left);
          if (rest.status === 200 && rest.json['status'] !== 'ER') compared++;
        }),
        { numRuns: route.parameters.length > 10 ? 100 : 50 },
      );
      // No calendar has this token, and neither export nor version was made: files.test.ts and versions.test.ts have them.
      if (!/^\/(calendar|exports|dataset-versions)\//.test(route.path))
        expect(compared).toBeGreaterThan(0);
    },
    120_000,
  );
});
