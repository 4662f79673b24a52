/** GraphQL requests that someone sends to hurt, and the code that each is refused with. The fragments, names and depths are those that the schema allows: nothing but the limit stops them. */
export interface Attack {
  name: string;
  query: string;
  variables?: Record<string, unknown>;
  code: string;
}

const repeat = (count: number, make: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join(' ');
const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = [value];
  return value;
};
const viewer = (fields: string): string => `{ viewer { ${fields} } }`;
const introspect =
  '{ name fields { name args { name type { name ofType { name } } } type { name ofType { name } } } }';

/** Refused whoever asks, signed in or not, in development too. */
export const attacks: readonly Attack[] = [
  {
    name: 'too deep',
    query: viewer(`feeds { nodes ${'{ parent '.repeat(12)} { id } ${'}'.repeat(12)} }`),
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: '5,000 levels deep',
    query: `${'{ a '.repeat(5_000)}${'}'.repeat(5_000)}`,
    code: 'GRAPHQL_PARSE_FAILED',
  },
  {
    name: '490 levels deep, within the tokens',
    query: `${'{ a '.repeat(330)}${'}'.repeat(330)}`,
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: 'inline fragments 300 deep',
    query: `${'{ ... '.repeat(300)} { viewer { login } } ${'}'.repeat(300)}`,
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: 'too many aliases',
    query: viewer(repeat(51, (i) => `a${i}: login`)),
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: 'too many aliases of one operation',
    query: `mutation { ${repeat(40, (i) => `a${i}: signIn(input: { login: "a", password: "b" }) { token }`)} }`,
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: 'too many directives',
    query: viewer(`login ${repeat(51, () => '@include(if: true)')}`),
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: 'too many directives on variables',
    query: `query (${repeat(60, (i) => `$v${i}: Int @a`)}) { __typename }`,
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: 'too many directives on fragments',
    query: `{ viewer { ...F } } fragment F on Viewer ${repeat(51, () => '@a')} { login }`,
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: 'too many fragments',
    query: `{ viewer { ...F0 } } ${repeat(31, (i) => `fragment F${i} on Viewer { login }`)}`,
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: 'too many operations',
    query: repeat(200, (i) => `query Q${i} { __typename }`),
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: 'too many variables',
    query: `query (${repeat(200, (i) => `$v${i}: Int`)}) { __typename }`,
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: 'too many tokens',
    query: viewer(repeat(1_000, () => 'login')),
    code: 'GRAPHQL_PARSE_FAILED',
  },
  {
    name: 'too long: one comment of 900 kB',
    query: `{ __typename } # ${'x'.repeat(900_000)}`,
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: 'too long: one name of 900 kB',
    query: `{ ${'x'.repeat(900_000)} }`,
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: 'too long: one comment of 55 kB',
    query: `{ __typename } # ${'x'.repeat(55_000)}`,
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: 'too many fields in one selection',
    query: viewer(repeat(980, () => 'login')),
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: 'fields that conflict pair by pair',
    query: `{ ${repeat(29, (i) => `viewer { feeds(first: ${i}) { nodes { ${repeat(8, () => 'feedTitle')} } } }`)} }`,
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  {
    name: 'as many fields as may be, each in conflict',
    query: `{ ${repeat(20, () => `viewer { calendarSubscriptions { ${repeat(11, (i) => (i % 2 ? 'timeZone(a: 1)' : 'timeZone'))} } }`)} }`,
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  {
    name: 'too many root fields',
    query: `{ ${repeat(31, () => 'viewer { login }')} }`,
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: 'too many root fields in a fragment',
    query: `{ ...F } fragment F on Query { ${repeat(31, (i) => `a${i}: viewer { login }`)} }`,
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: 'too many root fields in an inline fragment of a mutation',
    query: `mutation { ... { ${repeat(31, (i) => `a${i}: signOut { signedOut }`)} } }`,
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: 'too many root fields in a fragment that is used again and again',
    query: `{ ...A ${repeat(3, () => '...B')} } fragment A on Query { ...B ... { ...B } } fragment B on Query { ${repeat(7, (i) => `a${i}: __typename`)} }`,
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: 'fragments in a circle',
    query: '{ viewer { ...A } } fragment A on Viewer { ...B } fragment B on Viewer { ...A }',
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: 'fragments in a circle of one',
    query: '{ viewer { ...A } } fragment A on Viewer { ...A }',
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: 'fragments in a circle that nothing uses',
    query: '{ __typename } fragment A on Viewer { ...B } fragment B on Viewer { ...A }',
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: 'fragments in a circle of introspection',
    query: '{ __schema { types { ...A } } } fragment A on __Type { ofType { ...A } }',
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: 'fragments that double at each level',
    query: `{ viewer { feeds { nodes { ...A0 } } } } ${repeat(9, (i) => `fragment A${i} on Feed { a: parent { ...A${i + 1} } b: parent { ...A${i + 1} } }`)} fragment A9 on Feed { id }`,
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: 'fragments that double without depth',
    query: `{ viewer { ...A0 } } ${repeat(28, (i) => `fragment A${i} on Viewer { ...A${i + 1} ...A${i + 1} }`)} fragment A28 on Viewer { login }`,
    code: 'COST_LIMIT_EXCEEDED',
  },
  {
    name: 'too costly',
    query: viewer('feeds(first: 100) { nodes { tasks(first: 100) { nodes { id } } } }'),
    code: 'COST_LIMIT_EXCEEDED',
  },
  {
    name: 'too costly by variables',
    query:
      'query ($n: Int = 100) { viewer { feeds(first: $n) { nodes { tasks(last: $n) { nodes { id } } } } } }',
    code: 'COST_LIMIT_EXCEEDED',
  },
  {
    name: 'too costly by the default of a page',
    query: viewer(
      `feeds { nodes { tasks { nodes { tasks { nodes { tasks { nodes { id } } } } } } } }`,
    ),
    code: 'COST_LIMIT_EXCEEDED',
  },
  {
    name: 'too costly by ids',
    query: `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Workspace { datasets(first: 100) { nodes { id } } } } }`,
    variables: { ids: Array.from({ length: 90 }, (_, i) => String(i)) },
    code: 'COST_LIMIT_EXCEEDED',
  },
  {
    name: 'a hundred thousand ids',
    query: 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
    variables: { ids: Array.from({ length: 100_000 }, (_, i) => `x${i}`) },
    code: 'BAD_USER_INPUT',
  },
  {
    name: 'a hundred thousand filter values',
    query: 'query ($f: FeedFilter) { viewer { feeds(filter: $f) { totalCount } } }',
    variables: { f: { tags: Array.from({ length: 100_000 }, () => 'x') } },
    code: 'BAD_USER_INPUT',
  },
  {
    name: 'a list in a list in a list',
    query: 'query ($f: FeedFilter) { viewer { feeds(filter: $f) { totalCount } } }',
    variables: { f: { priorities: nested(3_000) } },
    code: 'BAD_USER_INPUT',
  },
  {
    name: 'JSON nested 3,000 deep',
    query:
      'mutation ($v: JSON) { setConfiguration(input: { scope: USER, key: "x", value: $v }) { __typename } }',
    variables: { v: nested(3_000) },
    code: 'BAD_USER_INPUT',
  },
  {
    name: 'a list literal of 20 kB',
    query: viewer(
      `feeds(filter: { priorities: ${'['.repeat(20_000)}${']'.repeat(20_000)} }) { totalCount }`,
    ),
    code: 'GRAPHQL_PARSE_FAILED',
  },
  {
    name: 'a list literal 400 deep',
    query: viewer(
      `feeds(filter: { priorities: ${'['.repeat(400)}${']'.repeat(400)} }) { totalCount }`,
    ),
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  {
    name: 'introspection many times over',
    query: `{ ${repeat(12, (i) => `a${i}: __schema { types ${introspect} }`)} }`,
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: 'introspection many times over, inside',
    query: `{ __schema { ${repeat(12, (i) => `a${i}: types ${introspect}`)} } }`,
    code: 'DOCUMENT_TOO_LARGE',
  },
  {
    name: 'introspection of types of types',
    query: `{ __schema { types ${'{ fields { type '.repeat(8)} { name } ${'} }'.repeat(8)} } }`,
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  { name: 'a field that does not exist', query: viewer('logn'), code: 'GRAPHQL_VALIDATION_FAILED' },
  {
    name: 'a type that does not exist',
    query: '{ viewer { ... on Viewr { login } } }',
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  {
    name: 'an argument that does not exist',
    query: viewer('feeds(firs: 1) { totalCount }'),
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  {
    name: 'a value that is none of an enum',
    query: viewer('feeds(orderBy: [{ field: PRIORTY }]) { totalCount }'),
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  {
    name: 'a variable that is none of an enum',
    query: 'query ($f: FeedFilter) { viewer { feeds(filter: $f) { totalCount } } }',
    variables: { f: { statuses: ['OVERDU'] } },
    code: 'BAD_USER_INPUT',
  },
  {
    name: 'a variable with an unknown field',
    query: 'query ($f: FeedFilter) { viewer { feeds(filter: $f) { totalCount } } }',
    variables: { f: { statuse: [] } },
    code: 'BAD_USER_INPUT',
  },
  {
    name: 'an argument of the wrong type',
    query: viewer('feeds(first: "1") { totalCount }'),
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  {
    name: 'a day that does not exist',
    query: viewer('feedCounts(startDate: "2026-02-30", endDate: "2026-03-01") { total }'),
    code: 'BAD_USER_INPUT',
  },
  {
    name: 'no operation of that name',
    query: 'query A { viewer { login } } query B { viewer { login } }',
    code: 'OPERATION_RESOLUTION_FAILURE',
  },
  {
    name: 'a hundred unknown fields',
    query: viewer(repeat(100, (i) => `login${i}`)),
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  { name: 'no text', query: '', code: 'GRAPHQL_PARSE_FAILED' },
];
