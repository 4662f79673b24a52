import { fileURLToPath } from 'node:url';
import { defaultFeedFields, graphqlName } from '../src/task-execution/feeds/fields/feed-fields.ts';
import type { WireRequest } from './http-load.ts';
import type { ContenderName } from './options.ts';
import { startServer, type ServerProcess } from './server-process.ts';
import { directions, type PageOfUnit } from './workload.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));

export type Json = Record<string, unknown>;

/** A page as a contender answered it. */
export interface Answer {
  /** By documented name. */
  rows: Json[];
  /** For the next page. */
  cursor: string | null;
}

/** One way to serve a page: a server, how it is asked, and how its answer reads. */
export interface Contender {
  name: ContenderName;
  label: string;
  start(databaseUrl: string): Promise<ServerProcess>;
  request(page: PageOfUnit, cursor: string | null): WireRequest;
  read(body: unknown): Answer;
}

/** The 36 default fields. */
export const selection = defaultFeedFields.map(graphqlName).join(' ');
const nameOf = new Map(defaultFeedFields.map((name) => [graphqlName(name), name]));
const json = { 'content-type': 'application/json' };

/** A GraphQL request. */
export function post(
  query: string,
  variables: Json,
  headers: Record<string, string> = {},
): WireRequest {
  return {
    method: 'POST',
    path: '/graphql',
    headers: { ...json, accept: 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  };
}

/** A GraphQL page of feeds: `data` and then this path. */
function readGraphQL(body: unknown, path: readonly string[]): Answer {
  const { data, errors } = body as { data?: unknown; errors?: unknown };
  if (errors !== undefined)
    throw new Error(`answered with errors: ${JSON.stringify(errors).slice(0, 500)}`);
  const page = path.reduce<unknown>((value, key) => (value as Json)[key], data) as {
    nodes: Json[];
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };
  const rows = page.nodes.map((node) =>
    Object.fromEntries(Object.entries(node).map(([key, value]) => [nameOf.get(key) ?? key, value])),
  );
  return { rows, cursor: page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null };
}

function readRest(body: unknown): Answer {
  const { feed_details, next_cursor } = body as {
    feed_details: Json[];
    next_cursor: string | null;
  };
  return { rows: feed_details, cursor: next_cursor };
}

/** Starts a program of contenders/. */
function program(
  file: string,
  extra: Record<string, string> = {},
  node = process.execPath,
): Contender['start'] {
  return (databaseUrl) =>
    startServer(
      node,
      [`${folder}contenders/${file}`],
      { DATABASE_URL: databaseUrl, ...extra },
      folder,
    );
}

/** Starts the gateway that `npm run build` makes, in production. It logs warnings only: the others log no request either. */
export function startGateway(env: Record<string, string>, checkout = root): Promise<ServerProcess> {
  return startServer(
    process.execPath,
    ['--max-semi-space-size=16', 'dist/main.js'],
    { PORT: '0', LOG_LEVEL: 'warn', RATE_LIMIT: '0', ...env },
    checkout,
  );
}

function floorRequest(page: PageOfUnit, cursor: string | null): WireRequest {
  const query = new URLSearchParams({
    limit: String(page.limit),
    sort_by: page.sort,
    ...(page.statuses ? { status: page.statuses.join() } : {}),
    ...(cursor ? { starting_after: cursor } : {}),
  });
  return {
    method: 'GET',
    path: `/feeds?${query.toString()}`,
    headers: { 'x-user': String(page.viewer.userId) },
  };
}

const mercuriusQuery = `query Page($user: Int!, $sort: String!, $statuses: [String!], $first: Int!, $after: String) {
  feeds(user: $user, sort: $sort, statuses: $statuses, first: $first, after: $after) { nodes { ${selection} } pageInfo { hasNextPage endCursor } } }`;

function mercuriusRequest(page: PageOfUnit, cursor: string | null): WireRequest {
  return post(mercuriusQuery, {
    user: page.viewer.userId,
    sort: page.sort,
    statuses: page.statuses,
    first: page.limit,
    after: cursor,
  });
}

const postgraphileQuery = `query Page($viewer: Int, $unit: Int, $homeDepts: [Int], $statuses: [String], $orderBy: [FeedOrderBy!], $first: Int, $after: Cursor) {
  viewerFeeds(viewer: $viewer, unit: $unit, homeDepts: $homeDepts, statuses: $statuses, orderBy: $orderBy, first: $first, after: $after) {
    nodes { ${selection} } pageInfo { hasNextPage endCursor } } }`;
const postgraphileSorts = {
  endDateTime: 'END_SORT',
  priority: 'PRIORITY_SORT',
  startDateTime: 'START_SORT',
} as const;

function postgraphileRequest(page: PageOfUnit, cursor: string | null): WireRequest {
  const { viewer, sort, statuses, limit } = page;
  const orderBy = [
    `${postgraphileSorts[sort]}_${directions[sort]}`,
    `FEED_KEY_${directions[sort]}`,
  ];
  return post(postgraphileQuery, {
    viewer: viewer.userId,
    unit: viewer.unitId,
    homeDepts: viewer.homeDepts,
    statuses,
    orderBy,
    first: limit,
    after: cursor,
  });
}

function restRequest(page: PageOfUnit, cursor: string | null): WireRequest {
  const query = new URLSearchParams({
    view_type: 'SV',
    limit: String(page.limit),
    sort_by: page.sort,
    sort_order: directions[page.sort].slice(0, 1),
    ...(page.statuses ? { status: page.statuses.join() } : {}),
    ...(cursor ? { starting_after: cursor } : {}),
  });
  return {
    method: 'GET',
    path: `/task/v1/feeds/list?${query.toString()}`,
    headers: { 'x-service-csrf-token-x': page.viewer.token },
  };
}

const triviumQuery = `query Page($filter: FeedFilter, $orderBy: [FeedOrder!], $first: Int, $after: Cursor) {
  viewer { feeds(filter: $filter, orderBy: $orderBy, first: $first, after: $after) { nodes { ${selection} } pageInfo { hasNextPage endCursor } } } }`;
const triviumSorts = {
  endDateTime: 'END_DATE_TIME',
  priority: 'PRIORITY',
  startDateTime: 'START_DATE_TIME',
} as const;
const statusNames: Record<string, string> = {
  N: 'NEW',
  R: 'REVIEWED',
  P: 'IN_PROGRESS',
  O: 'OVERDUE',
  C: 'COMPLETED',
  F: 'FORCE_CLOSED',
  E: 'EXPIRED',
};

function triviumRequest(page: PageOfUnit, cursor: string | null): WireRequest {
  const filter = {
    view: 'STORE_VIEW',
    ...(page.statuses ? { statuses: page.statuses.map((status) => statusNames[status]) } : {}),
  };
  const variables = {
    filter,
    orderBy: [{ field: triviumSorts[page.sort], direction: directions[page.sort] }],
    first: page.limit,
    after: cursor,
  };
  return post(triviumQuery, variables, { 'x-service-csrf-token-x': page.viewer.token });
}

/** Node ≥ 22 of the benchmark's own dependencies. */
const newerNode = `${folder}node_modules/node/bin/node`;

export const contenders: readonly Contender[] = [
  {
    name: 'floor',
    label: 'floor: node:http + pg + JSON.stringify',
    start: program('floor.mjs'),
    request: floorRequest,
    read: readRest,
  },
  {
    name: 'floortext',
    label: 'floor, timestamps as text',
    start: program('floor.mjs', { FLOOR_TEXT: '1' }),
    request: floorRequest,
    read: readRest,
  },
  {
    name: 'postgraphile',
    label: 'PostGraphile 5 (Node 24)',
    start: program('postgraphile.mjs', {}, newerNode),
    request: postgraphileRequest,
    read: (body) => readGraphQL(body, ['viewerFeeds']),
  },
  {
    name: 'mercurius',
    label: 'Mercurius + jit',
    start: program('mercurius.mjs'),
    request: mercuriusRequest,
    read: (body) => readGraphQL(body, ['feeds']),
  },
  {
    name: 'mercuriustuned',
    label: 'Mercurius + jit, timestamps as text',
    start: program('mercurius.mjs', { MERCURIUS_TUNED: '1' }),
    request: mercuriusRequest,
    read: (body) => readGraphQL(body, ['feeds']),
  },
  trivium('rest'),
  trivium('graphql'),
];

/** Trivium's own REST or GraphQL; of another checkout that was built, where one is given. */
function trivium(surface: 'rest' | 'graphql', before?: string): Contender {
  const asked =
    surface === 'rest'
      ? { label: 'Trivium REST', request: restRequest, read: readRest }
      : {
          label: 'Trivium GraphQL',
          request: triviumRequest,
          read: (body: unknown) => readGraphQL(body, ['viewer', 'feeds']),
        };
  return {
    ...asked,
    name: before === undefined ? surface : `before${surface}`,
    label: `${asked.label}${before === undefined ? '' : ', before'}`,
    start: (databaseUrl) => startGateway({ DATABASE_URL: databaseUrl }, before),
  };
}

/** Those that are wanted, with the Trivium of another checkout beside ours. */
export function chooseContenders(
  wanted: readonly ContenderName[],
  before: string | undefined,
): Contender[] {
  return contenders.flatMap((contender) => {
    const { name } = contender;
    if (!wanted.includes(name)) return [];
    return before !== undefined && (name === 'rest' || name === 'graphql')
      ? [trivium(name, before), contender]
      : [contender];
  });
}
