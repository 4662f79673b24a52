import {
  getNamedType,
  isInputObjectType,
  isObjectType,
  type GraphQLField,
  type GraphQLInputField,
} from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schema } from '../../src/server/graphql/schema/schema.ts';
import { routes } from '../../src/server/routes/routes.ts';
import { startDatasetApp, type DatasetApp } from '../support/datasets.ts';
import { jpeg } from '../support/images.ts';
import { feed, organisation } from '../support/records.ts';

let app: DatasetApp;
let ana: string;
beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  await app.load([
    ...organisation,
    feed(1, {
      start_date_time: '2026-11-20T10:00:00.250Z',
      end_date_time: '2026-11-21T10:00:00Z',
      last_action_time: Date.UTC(2026, 10, 19),
      user_states: [
        {
          user: 'ana',
          pin: 1,
          favorite_flag: 1,
          acknowledged_flag: 1,
          watch_flag: 1,
          promote_to_note_flag: 1,
        },
      ],
    }),
    feed(2, {}),
    { record: 'leadership_category', domain: 'acme', name: 'First', position: 1 },
    {
      record: 'leadership_legend',
      domain: 'acme',
      name: 'Sales',
      legend_type_id: 1,
      color: '#0a0',
    },
  ]);
  ana = await app.signedIn('ana');
  const workspace = await app.workspace();
  const dataset = await app.dataset(workspace, 'Images');
  await app.image(dataset, await jpeg(40, 50));
  await app.project(workspace, dataset);
});
afterAll(() => app.close());

type Deprecated = GraphQLField<unknown, unknown> | GraphQLInputField;

/** Every deprecated field of the schema, with the field that its reason names, or the REST path. */
const deprecated = Object.values(schema.getTypeMap()).flatMap((type) => {
  if (!isObjectType(type) && !isInputObjectType(type)) return [];
  const fields: Record<string, Deprecated> = type.getFields();
  return Object.values(fields).flatMap((field) =>
    field.deprecationReason == null
      ? []
      : [
          {
            type: type.name,
            field,
            now: fields[/^Use (\w+),/.exec(field.deprecationReason)?.[1] ?? ''],
            rest: /^Use ([A-Z]+ \/\S+),/.exec(field.deprecationReason)?.[1],
          },
        ],
  );
});
const renamed = deprecated.filter(({ rest }) => rest === undefined);
const pairsOf = (type: string): [old: string, now: string][] =>
  renamed
    .filter((one) => one.type === type)
    .map(({ field, now }) => [field.name, now?.name ?? '(nothing)']);

it('names a REST path for what leaves GraphQL', () => {
  const left = deprecated.filter(({ rest }) => rest !== undefined);
  const served = routes.map(({ method, path }) => `${method} ${path}`);
  expect(left.filter(({ rest = '' }) => !served.includes(rest))).toEqual([]);
  expect(left.map(({ type, field }) => `${type}.${field.name}`)).toEqual(['Mutation.addImage']);
});

it('names a field of the same type for every deprecated one', () => {
  for (const { type, field, now } of renamed) {
    expect(now, `${type}.${field.name}`).toBeDefined();
    expect(getNamedType(now?.type)).toBe(getNamedType(field.type));
    expect(now?.deprecationReason).toBeFalsy();
  }
  expect(renamed.map(({ type, field }) => `${type}.${field.name}`).sort()).toMatchInlineSnapshot(`
    [
      "DatasetImage.createdDate",
      "Feed.acknowledgeFlag",
      "Feed.acknowledgedFlag",
      "Feed.endDateUtc",
      "Feed.favoriteFlag",
      "Feed.lastActionTimeInMillis",
      "Feed.lastUpdatedTimeInMillis",
      "Feed.pin",
      "Feed.promoteToNoteFlag",
      "Feed.startDateUtc",
      "Feed.watchFlag",
      "FeedFilter.pin",
      "LeadershipCategory.id",
      "LeadershipLegend.id",
      "Project.imageCount",
    ]
  `);
});

it.each([
  ['Feed', 'ana', 'viewer { feeds(first: 2) { nodes'],
  ['Project', 'owner', 'viewer { workspaces { nodes { projects { nodes'],
  [
    'LeadershipLegend',
    'ana',
    'viewer { leadershipCalendar(type: ANNUAL, month: 1, year: 2026) { legends',
  ],
  [
    'LeadershipCategory',
    'ana',
    'viewer { leadershipCalendar(type: ANNUAL, month: 1, year: 2026) { categories',
  ],
  ['DatasetImage', 'owner', 'viewer { workspaces { nodes { datasets { nodes { images { nodes'],
])(
  'answers deprecated names of %s as their new ones, compiled or not',
  async (type, login, path) => {
    const pairs = pairsOf(type);
    const token = await app.signedIn(login);
    const selection = pairs.map(([old, now]) => `${old} same_${old}: ${now}`).join(' ');
    const both = `{ ${path} { ${selection} } ${'}'.repeat(path.split('{').length)}`;
    const answers: unknown[] = [];
    // The first time graphql-js runs a query, later it is compiled and lists are pre-serialised.
    for (let turn = 0; turn < 3; turn++) {
      const { data, errors } = await app.gql(both, {}, token);
      expect(errors).toBeUndefined();
      answers.push(data);
    }
    expect(answers[2]).toEqual(answers[0]);
    let compared = 0;
    JSON.stringify(answers, (_, value: any) => {
      if (value?.[pairs[0]?.[0] ?? ''] === undefined) return value;
      for (const [old] of pairs) expect(value[old], old).toEqual(value[`same_${old}`]);
      compared++;
      return value;
    });
    expect(compared).toBeGreaterThanOrEqual(3);
  },
);

it('pre-serialises the new names of feeds, too', () => {
  const fields = renamed.filter(({ type }) => type === 'Feed');
  for (const { field, now } of fields) {
    expect(field.extensions['preserialised'], field.name).toBeDefined();
    expect(now?.extensions['preserialised'], now?.name).toBeDefined();
  }
});

it('calls nothing an id that is no global id', () => {
  for (const type of Object.values(schema.getTypeMap())) {
    const id = isObjectType(type) ? type.getFields()['id'] : undefined;
    if (!isObjectType(type) || !id) continue;
    const isNode = type.getInterfaces().some(({ name }) => name === 'Node');
    expect([type.name, isNode || id.deprecationReason != null]).toEqual([type.name, true]);
  }
});

it('filters by pinned as by pin, and by both if both are sent', async () => {
  const keys = async (filter: object): Promise<number[]> => {
    const { data } = await app.gql(
      'query ($filter: FeedFilter) { viewer { feeds(filter: $filter) { nodes { feedKey } } feedCounts(startDate: "2020-01-01", endDate: "2030-01-01", filter: $filter) { total } } }',
      { filter },
      ana,
    );
    return data.viewer.feeds.nodes.map(({ feedKey }: any) => feedKey);
  };
  expect(await keys({ pin: true })).toEqual([1]);
  expect(await keys({ pinned: true })).toEqual([1]);
  expect(await keys({ pinned: false })).toEqual(await keys({ pin: false }));
  expect(await keys({ pinned: true, pin: false })).toEqual([]);
});
