import fc from 'fast-check';
import {
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLObjectType,
} from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schema } from '../../src/server/graphql/schema/schema.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { feed, organisation } from '../support/records.ts';

let app: TestApp;
let ana: string;

beforeAll(async () => {
  app = await startApp();
  await app.load([
    ...organisation,
    feed(1, {
      kind: 'PROJECT',
      unit: 'Berlin',
      dept: 'Bakery',
      panel_config: { a: 1 },
      show_why_url: 'https://example.com/',
      user_states: [{ user: 'ana', pin: 1 }],
    }),
    feed(2, {
      kind: 'TASK',
      parent_feed_key: 1,
      priority: 1,
      status: 'P',
      start_date_time: '2026-11-19T00:00:00Z',
      end_date_time: '2026-11-30T00:00:00Z',
    }),
    feed(3, { kind: 'TASK', parent_feed_key: 1, owner: 'bob', priority: 2 }),
    ...Array.from({ length: 8 }, (_, i) =>
      feed(10 + i, { priority: (i % 3) + 1, feed_title: `"quoted" ${i} \u{1F600}` }),
    ),
  ]);
  ana = await app.signedIn('ana');
});
afterAll(() => app.close());

/** A value for an argument: mostly fitting, now and then refused by the operation or by the type. */
function valueOf(type: GraphQLInputType): fc.Arbitrary<string> {
  const nullable = getNullableType(type);
  if (isListType(nullable))
    return fc
      .array(valueOf(nullable.ofType), { maxLength: 2 })
      .map((items) => `[${items.join(', ')}]`);
  if (isEnumType(nullable))
    return fc.constantFrom(...nullable.getValues().map((value) => value.name));
  if (isInputObjectType(nullable)) {
    const fields = Object.values(nullable.getFields()).filter((field) => field.name !== 'filterId');
    return fc
      .subarray(fields, { maxLength: Math.min(2, fields.length) })
      .chain((chosen) =>
        fc
          .tuple(
            ...[
              ...new Set([...fields.filter((field) => isRequiredArgument(field)), ...chosen]),
            ].map((field) => valueOf(field.type).map((value) => `${field.name}: ${value}`)),
          )
          .map((entries) => `{ ${entries.join(', ')} }`),
      );
  }
  switch (getNamedType(nullable).name) {
    case 'Int':
      return fc.constantFrom('0', '1', '2', '3', '101', '-1', '"x"');
    case 'Boolean':
      return fc.constantFrom('true', 'false');
    case 'LocalDate':
      return fc.constantFrom('"2026-11-20"', '"2026-12-31"', '"2026-02-30"');
    case 'Timestamp':
    case 'SafeInt':
      return fc.constantFrom('1', '2', '1795000000000');
    case 'ID':
      return fc.constantFrom('"RmVlZDox"', '"RmVlZDoz"', '"RmVlZDo5OTk="', '"garbage"');
    default:
      return fc.constantFrom('"Feed"', '"garbage"', '""');
  }
}

const argument = (arg: GraphQLArgument): fc.Arbitrary<string> =>
  valueOf(arg.type).map((value) => `${arg.name}: ${value}`);

/** Fields that reach no further than the feeds of this test. */
const reached = new Set([
  'Query',
  'Viewer',
  'Feed',
  'FeedConnection',
  'FeedEdge',
  'PageInfo',
  'FeedCounts',
  'FeedPriorityCount',
  'Node',
]);

const condition = fc.constantFrom(
  ...['', '', '', '', '@include(if: true)', '@skip(if: $yes)', '@include(if: $yes) @skip(if: $no)'],
);

const feedType = schema.getType('Feed') as GraphQLObjectType;

function selection(type: GraphQLObjectType, depth: number): fc.Arbitrary<string> {
  const fields = Object.values(type.getFields()).filter((field) => {
    if (field.name === 'changeCursor') return false; // moves with every transaction of the server
    const named = getNamedType(field.type);
    return isLeafType(named) || (depth > 0 && isCompositeType(named) && reached.has(named.name));
  });
  const leaf = fields.filter((field) => isLeafType(getNamedType(field.type)));
  const branch = fields.filter((field) => !leaf.includes(field));
  const pick = fc
    .tuple(
      fc.subarray(leaf, {
        minLength: leaf.length > 0 ? 1 : 0,
        maxLength: Math.min(5, leaf.length),
      }),
      fc.subarray(branch, {
        minLength: leaf.length > 0 ? 0 : 1,
        maxLength: Math.min(2, branch.length),
      }),
    )
    .map(([a, b]) => [...a, ...b]);
  return pick.chain((chosen) =>
    fc
      .tuple(
        ...chosen.map((field, index) => {
          const named = getNamedType(field.type);
          const args = fc
            .subarray([...field.args], { maxLength: Math.min(2, field.args.length) })
            .chain((some) =>
              fc.tuple(
                ...[...new Set([...field.args.filter(isRequiredArgument), ...some])].map(argument),
              ),
            )
            .map((list) => (list.length > 0 ? `(${list.join(', ')})` : ''));
          const below = isObjectType(named)
            ? selection(named, depth - 1).map((text) => ` ${text}`)
            : isInterfaceType(named)
              ? fc
                  .tuple(
                    fc.subarray(['__typename', 'id', '... on Project { name }']),
                    selection(feedType, depth - 1),
                  )
                  .map(([fields, text]) => ` { ${fields.join(' ')} ... on Feed ${text} }`)
              : fc.constant('');
          return fc
            .tuple(args, below, fc.constantFrom('', '', '', `a${index}: `), condition)
            .map(
              ([list, set, alias, directive]) => `${alias}${field.name}${list} ${directive}${set}`,
            );
        }),
        fc.constantFrom(
          '',
          '',
          '__typename',
          `... on ${type.name} { __typename }`,
          `...On${type.name}`,
          `...On${type.name} @skip(if: $yes)`,
          `... on ${type.name} @include(if: $yes) { __typename }`,
        ),
      )
      .map((parts) => `{ ${parts.join(' ')} }`),
  );
}

const query = schema.getQueryType();
const documents = query
  ? selection(query, 5).map((text) => {
      const used = [...reached].filter((name) => text.includes(`...On${name}`));
      const variables = [
        ...(text.includes('$yes') ? ['$yes: Boolean!'] : []),
        ...(text.includes('$no') ? ['$no: Boolean = false'] : []),
      ];
      return `query Q${variables.length > 0 ? `(${variables.join()})` : ''} ${text} ${used.map((name) => `fragment On${name} on ${name} { __typename }`).join(' ')}`;
    })
  : fc.constant('');

interface Told {
  data?: unknown;
  errors?: { path?: (string | number)[] }[];
}

/**
 * Answers without what depends on which field came first: errors are told in the order in which they come, and where
 * several fields end in one null, who comes later may not be waited for.
 */
function withoutRaces(answers: readonly string[]): string[] {
  const told = answers.map((text) => JSON.parse(text) as Told);
  const keysOf = ({ data, errors = [] }: Told): (string | undefined)[] =>
    errors.map(({ path }) => path && nulled(data, path));
  const errorsAt = new Map<string | undefined, Set<string>>();
  for (const answer of told)
    for (const [at, key] of keysOf(answer).entries())
      errorsAt.set(key, (errorsAt.get(key) ?? new Set()).add(JSON.stringify(answer.errors?.[at])));
  return told.map((answer) => {
    const keys = keysOf(answer);
    const sure = answer.errors?.filter((_, at) => {
      const key = keys[at];
      return key === undefined || errorsAt.get(key)?.size === 1;
    });
    return JSON.stringify({ ...answer, errors: sure?.map((each) => JSON.stringify(each)).sort() });
  });
}

/** The part of a path that leads to the null in the data. */
function nulled(data: unknown, path: readonly (string | number)[]): string {
  let [at, depth] = [data, 0];
  for (; depth < path.length && at !== null && at !== undefined; depth++)
    at = (at as Record<string | number, unknown>)[path[depth] ?? ''];
  return JSON.stringify(path.slice(0, depth));
}

it('a query answers with the same bytes when it runs for the first time and when it runs compiled, errors included', async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(documents, fc.boolean(), async (document, yes) => {
      const call = async (yes: boolean): Promise<[number, string]> => {
        const answer = await app.rest('/graphql', ana, {
          method: 'POST',
          body: JSON.stringify({ query: document, variables: { yes } }),
          headers: { 'content-type': 'application/json' },
        });
        return [answer.status, answer.text];
      };
      for (const value of document.includes('$yes') ? [yes, !yes] : [yes]) {
        const calls = [await call(value), await call(value), await call(value)];
        const [[status, text] = [0, '']] = calls;
        if (text.startsWith('{"data":{')) answered++;
        expect(status, document).toBeLessThan(500);
        const texts = calls.map(([, each]) => each);
        const [first, ...again] = new Set(texts).size === 1 ? texts : withoutRaces(texts);
        expect(
          calls.map(([each]) => each),
          document,
        ).toEqual([status, status, status]);
        expect(again, document).toEqual([first, first]);
      }
    }),
    { numRuns: 250 },
  );
  expect(answered).toBeGreaterThan(30);
}, 240_000);

/** Queries that are compiled, and one that is not, with their answers. */
const answers: [string, string][] = [
  [
    '{ viewer { feeds(first: 2, orderBy: [{ field: PRIORITY }]) { nodes { feedKey feedTitle priority panelConfig } pageInfo { hasNextPage } totalCount } } }',
    '{"viewer":{"feeds":{"nodes":[{"feedKey":10,"feedTitle":"\\"quoted\\" 0 \u{1F600}","priority":1,"panelConfig":null},{"feedKey":13,"feedTitle":"\\"quoted\\" 3 \u{1F600}","priority":1,"panelConfig":null}],"pageInfo":{"hasNextPage":true},"totalCount":9}}}',
  ],
  [
    '{ one: feed(feedKey: 1) { title: feedTitle pin panelConfig showWhyUrl tasks { totalCount nodes { feedKey status parent { feedKey } } } } none: feed(feedKey: 999) { id } }',
    '{"one":{"title":"Feed 1","pin":true,"panelConfig":{"a":1},"showWhyUrl":"https://example.com/","tasks":{"totalCount":1,"nodes":[{"feedKey":2,"status":"IN_PROGRESS","parent":{"feedKey":1}}]}},"none":null}',
  ],
  [
    '{ viewer { __typename login feedCounts(startDate: "2026-11-01", endDate: "2026-11-30") { total } feeds(first: 1, filter: { feedTitle: "Feed 1" }) { edges { __typename node { ...F } } } } } fragment F on Feed { __typename id kind }',
    '{"viewer":{"__typename":"Viewer","login":"ana","feedCounts":{"total":0},"feeds":{"edges":[{"__typename":"FeedEdge","node":{"__typename":"Feed","id":"RmVlZDox","kind":"PROJECT"}}]}}}',
  ],
  [
    '{ node(id: "RmVlZDox") { __typename id ...F ... on DatasetImage { name } } other: node(id: "RmVlZDox") { ... on DatasetImage { name } } none: node(id: "RmVlZDo5OTk=") { id } } fragment F on Feed { feedKey tasks(first: 1) { nodes { id feedTitle } } }',
    '{"node":{"__typename":"Feed","id":"RmVlZDox","feedKey":1,"tasks":{"nodes":[{"id":"RmVlZDoy","feedTitle":"Feed 2"}]}},"other":{},"none":null}',
  ],
  [
    '{ nodes(ids: ["RmVlZDox", "RmVlZDo5OTk=", "RmVlZDoy"]) { id ... on Feed { feedTitle } } }',
    '{"nodes":[{"id":"RmVlZDox","feedTitle":"Feed 1"},null,{"id":"RmVlZDoy","feedTitle":"Feed 2"}]}',
  ],
  [
    '{ node(id: "RmVlZDox") { ... on Node { id } ... on Feed { parent { ... on Node { __typename } } feedTitle } } }',
    '{"node":{"id":"RmVlZDox","parent":null,"feedTitle":"Feed 1"}}',
  ],
  [
    '{ node(id: "RmVlZDox") { __typename ... on Feed { feedKey @skip(if: true) feedTitle } } }',
    '{"node":{"__typename":"Feed","feedTitle":"Feed 1"}}',
  ],
];

it.each(answers)('%s answers with these bytes each time', async (query, data) => {
  for (let time = 1; time <= 3; time++) {
    const { text } = await app.rest('/graphql', ana, {
      method: 'POST',
      body: JSON.stringify({ query }),
      headers: { 'content-type': 'application/json' },
    });
    expect(text, `time ${time}`).toContain(`{"data":${data},"extensions":`);
  }
});

it('of several operations in one document the one that is named runs', async () => {
  const document =
    'query A { viewer { login } } query B { viewer { displayName } } mutation M { setFeedState(input: { feedIds: [], pinned: true }) { __typename } }';
  const run = (operationName: string): Promise<unknown> =>
    app
      .rest('/graphql', ana, {
        method: 'POST',
        body: JSON.stringify({ query: document, operationName }),
        headers: { 'content-type': 'application/json' },
      })
      .then((answer) => answer.json['data']);
  for (let i = 0; i < 3; i++) {
    expect(await run('A')).toEqual({ viewer: { login: 'ana' } });
    expect(await run('B')).toEqual({ viewer: { displayName: 'Ana' } });
    expect(await run('M')).toEqual({ setFeedState: { __typename: 'ValidationError' } });
  }
});

/** A value for a variable, fitting or not. */
const odd = fc.constantFrom<unknown>(
  null,
  0,
  -0,
  1,
  2,
  1.5,
  1e20,
  -1,
  '',
  '1',
  'x',
  true,
  [],
  [[]],
  [null],
  {},
  { a: 1 },
  'BERLIN',
  '2026-11-20',
  '2026-02-30',
  'T3A',
  '\u0000',
);
function variableOf(type: GraphQLInputType): fc.Arbitrary<unknown> {
  const nullable = getNullableType(type);
  const fitting = (): fc.Arbitrary<unknown> => {
    if (isListType(nullable))
      return fc.oneof(
        fc.array(variableOf(nullable.ofType), { maxLength: 3 }),
        variableOf(nullable.ofType),
      );
    if (isEnumType(nullable))
      return fc.constantFrom(...nullable.getValues().map((value) => value.name));
    if (isInputObjectType(nullable))
      return fc.record(
        Object.fromEntries(
          Object.values(nullable.getFields()).map((field) => [field.name, variableOf(field.type)]),
        ),
        {
          requiredKeys: Object.values(nullable.getFields())
            .filter(isRequiredInputField)
            .map(({ name }) => name),
        },
      );
    switch (getNamedType(nullable).name) {
      case 'Int':
        return fc.integer({ min: -1, max: 5 });
      case 'Boolean':
        return fc.boolean();
      case 'LocalDate':
        return fc.constantFrom('2026-11-20', '2026-12-31');
      case 'Timestamp':
      case 'SafeInt':
        return fc.constantFrom(0, 1, 1795000000000);
      default:
        return fc.constantFrom('Feed', 'PRJ', '');
    }
  };
  return fc.oneof({ weight: 30, arbitrary: fitting() }, { weight: 1, arbitrary: odd });
}

it('any value of a variable is taken, completed by defaults or refused as graphql-js does it', async () => {
  const feeds = (schema.getType('Viewer') as GraphQLObjectType).getFields()['feeds'];
  const args = feeds?.args ?? [];
  const given = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
  const declared = args
    .map((arg) => `$${arg.name}: ${String(arg.type)}${arg.name === 'first' ? ' = 3' : ''}`)
    .join(', ');
  let number = 0;
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.record(
        Object.fromEntries(
          args.map((arg) => [
            arg.name,
            arg.name === 'first'
              ? variableOf(arg.type)
              : fc.option(variableOf(arg.type), { nil: undefined, freq: 2 }),
          ]),
        ),
        { requiredKeys: [] },
      ),
      async (variables) => {
        // A document of its own each time: the first answer is that of graphql-js.
        const query = `query V${number++}(${declared}) { viewer { feeds(${given}) { nodes { feedKey status } pageInfo { hasNextPage endCursor } } } }`;
        const call = async (): Promise<[number, string]> => {
          const answer = await app.rest('/graphql', ana, {
            method: 'POST',
            body: JSON.stringify({ query, variables }),
            headers: { 'content-type': 'application/json' },
          });
          return [answer.status, answer.text];
        };
        const first = await call();
        if (first[1].includes('"nodes":[')) answered++;
        expect([await call(), await call()], JSON.stringify(variables)).toEqual([first, first]);
      },
    ),
    { numRuns: 300 },
  );
  expect(answered).toBeGreaterThan(30);
}, 240_000);

it('a list in the place of an input object is refused each time', async () => {
  for (const [type, value] of [
    ['FeedFilter', []],
    ['[FeedOrder!]', [[]]],
  ] as const) {
    const argument = type === 'FeedFilter' ? 'filter' : 'orderBy';
    const query = `query Listed_${argument}($v: ${type}) { viewer { feeds(first: 1, ${argument}: $v) { nodes { feedKey } } } }`;
    const call = (): Promise<any> => app.gql(query, { v: value }, ana);
    const first = await call();
    expect(first.errors).toHaveLength(1);
    expect([await call(), await call()]).toEqual([first, first]);
  }
});

it('variables are read anew each time, and refused ones read the same', async () => {
  const document =
    'query ($first: Int!, $title: String) { viewer { feeds(first: $first, filter: { feedTitle: $title }) { nodes { feedKey } } } }';
  const keys = async (variables: object): Promise<unknown> => {
    const answer = await app.gql(document, variables, ana);
    return answer.errors ?? answer.data.viewer.feeds.nodes.length;
  };
  const refused = await keys({ first: 'x' });
  expect([
    await keys({ first: 2 }),
    await keys({ first: 3 }),
    await keys({ first: 50, title: 'Feed 1' }),
  ]).toEqual([2, 3, 1]);
  expect(await keys({ first: 'x' })).toEqual(refused);
  expect(await keys({})).toEqual([
    expect.objectContaining({ extensions: { code: 'BAD_USER_INPUT' } }),
  ]);
});

it('members of a union are answered with the same bytes each time', async () => {
  const { data } = await app.gql('{ viewer { feeds(first: 1) { changeCursor } } }', {}, ana);
  const after = data.viewer.feeds.changeCursor;
  const day = { start_date_time: '2026-11-21T08:00:00Z', end_date_time: '2026-11-21T09:00:00Z' };
  await app.load([
    feed(31, { ...day, user_states: [{ user: 'ana', pin: 1 }] }),
    feed(11, { deleted: true }),
  ]);
  const calendar = 'calendar(from: "2026-11-20", to: "2026-11-30"';
  for (const [query, expected] of [
    [
      `query ($after: ChangeCursor!) { viewer { feedChanges(after: $after, first: 3) { hasMore edges { node {
         __typename ... on FeedUpserted { feed { feedKey pin parent { feedKey } } } ...Gone } } } } }
       fragment Gone on FeedRemoved { feedId feedKey }`,
      '{"viewer":{"feedChanges":{"hasMore":false,"edges":[{"node":{"__typename":"FeedUpserted","feed":{"feedKey":31,"pin":true,"parent":null}}},{"node":{"__typename":"FeedRemoved","feedId":"RmVlZDoxMQ==","feedKey":11}}]}}}',
    ],
    [
      `{ viewer { ${calendar}, source: CALENDAR) { __typename ... on CalendarFeeds { layout feeds(first: 2) { nodes { feedKey feedTitle } totalCount } } ... on CalendarWalks { truncated } }
         walks: ${calendar}, source: STORE_WALK_CAL) { ... on CalendarFeeds { layout } ... on CalendarWalks { kind: __typename truncated walks { __typename } } } } }`,
      '{"viewer":{"calendar":{"__typename":"CalendarFeeds","layout":null,"feeds":{"nodes":[{"feedKey":31,"feedTitle":"Feed 31"}],"totalCount":1}},"walks":{"kind":"CalendarWalks","truncated":false,"walks":[]}}}',
    ],
  ] as const)
    for (let time = 1; time <= 3; time++) {
      const { text } = await app.rest('/graphql', ana, {
        method: 'POST',
        body: JSON.stringify({ query, variables: { after } }),
        headers: { 'content-type': 'application/json' },
      });
      expect(text, `time ${time}`).toContain(`{"data":${expected},"extensions":`);
    }
});
