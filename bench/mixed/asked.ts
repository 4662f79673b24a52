import { dayWindow } from '../../src/core/time/days.ts';
import { post, selection, type Json } from '../contenders.ts';
import type { WireRequest } from '../http-load.ts';
import type { UnitViewer } from '../workload.ts';

/** What a store does besides reading pages, as one contender is asked for it. */
export interface Asked {
  poll(viewer: UnitViewer, since: number): WireRequest;
  count(viewer: UnitViewer): WireRequest;
  /** The first 20 feeds, by their end, of these days (yyyy-MM-dd). */
  calendar(viewer: UnitViewer, from: string, to: string): WireRequest;
  mark(viewer: UnitViewer, feedKey: number, pinned: boolean): WireRequest;
  /** P or C. */
  status(viewer: UnitViewer, feedKey: number, status: string): WireRequest;
  task(viewer: UnitViewer, name: string): WireRequest;
}

const iso = (ms: number): string => new Date(ms).toISOString();
/** The instants of days, which the peers ask for. */
function instants({ zone }: UnitViewer, from: string, to: string): { from: string; to: string } {
  const plain = (day: string): string => day.replaceAll('-', '');
  return {
    from: iso(dayWindow(plain(from), zone).from),
    to: iso(dayWindow(plain(to), zone).to),
  };
}

const feedId = (key: number): string => Buffer.from(`Feed:${key}`).toString('base64');
const asViewer = (viewer: UnitViewer, query: string, variables: Json): WireRequest =>
  post(query, variables, { 'x-service-csrf-token-x': viewer.token });
const STORE = { view: 'STORE_VIEW' };

export const trivium: Asked = {
  poll: (viewer, since) =>
    asViewer(
      viewer,
      `query ($since: Timestamp!, $filter: FeedFilter) { viewer { feedChanges(fromTime: $since, first: 20, filter: $filter) {
         edges { node { __typename ... on FeedUpserted { feed { ${selection} } } } } endCursor } } }`,
      { since, filter: STORE },
    ),
  count: (viewer) =>
    asViewer(
      viewer,
      'query ($filter: FeedFilter) { viewer { feedCounts(startDate: "2000-01-01", endDate: "2099-12-31", filter: $filter) { priorities { priority count } } } }',
      { filter: STORE },
    ),
  calendar: (viewer, from, to) =>
    asViewer(
      viewer,
      `query ($from: LocalDate!, $to: LocalDate!, $filter: CalendarFilter) { viewer { calendar(source: CALENDAR, from: $from, to: $to, filter: $filter,
         orderBy: [{ field: END_DATE_TIME, direction: ASC }]) { ... on CalendarFeeds { feeds(first: 20) { nodes { ${selection} } } } } } }`,
      { from, to, filter: STORE },
    ),
  mark: (viewer, key, pinned) =>
    asViewer(
      viewer,
      'mutation ($input: SetFeedStateInput!) { setFeedState(input: $input) { __typename ... on SetFeedStatePayload { results { feed { pin } } } } }',
      { input: { feedIds: [feedId(key)], pinned } },
    ),
  status: (viewer, key, status) =>
    asViewer(
      viewer,
      'mutation ($input: ChangeFeedStatusInput!) { changeFeedStatus(input: $input) { __typename ... on ChangeFeedStatusPayload { feed { status } } } }',
      { input: { feedId: feedId(key), status: status === 'C' ? 'COMPLETED' : 'IN_PROGRESS' } },
    ),
  task: (viewer, name) =>
    asViewer(
      viewer,
      'mutation ($input: CreateExternalTaskInput!) { createExternalTask(input: $input) { __typename ... on CreateExternalTaskPayload { task { id } } } }',
      { input: { name } },
    ),
};

export const mercurius: Asked = {
  poll: ({ userId }, since) =>
    post(
      `query ($user: Int!, $since: String!) { changed(user: $user, since: $since) { ${selection} } }`,
      { user: userId, since: iso(since) },
    ),
  count: ({ userId }) =>
    post('query ($user: Int!) { counts(user: $user) { priority count } }', { user: userId }),
  calendar: (viewer, from, to) =>
    post(
      `query ($user: Int!, $from: String!, $to: String!) { calendar(user: $user, from: $from, to: $to) { ${selection} } }`,
      { user: viewer.userId, ...instants(viewer, from, to) },
    ),
  mark: ({ userId }, feedKey, pinned) =>
    post(
      'mutation ($user: Int!, $feedKey: Float!, $pinned: Boolean!) { setPinned(user: $user, feedKey: $feedKey, pinned: $pinned) }',
      { user: userId, feedKey, pinned },
    ),
  status: ({ userId }, feedKey, status) =>
    post(
      'mutation ($user: Int!, $feedKey: Float!, $status: String!) { setStatus(user: $user, feedKey: $feedKey, status: $status) }',
      { user: userId, feedKey, status },
    ),
  task: ({ userId }, name) =>
    post('mutation ($user: Int!, $name: String!) { createTask(user: $user, name: $name) }', {
      user: userId,
      name,
    }),
};

const place = (viewer: UnitViewer): Json => ({
  viewer: viewer.userId,
  unit: viewer.unitId,
  homeDepts: viewer.homeDepts,
});

export const postgraphile: Asked = {
  poll: (viewer, since) =>
    post(
      `query ($viewer: Int, $unit: Int, $homeDepts: [Int], $since: Datetime) { changed(viewer: $viewer, unit: $unit, homeDepts: $homeDepts, since: $since) { nodes { ${selection} } } }`,
      { ...place(viewer), since: iso(since) },
    ),
  count: ({ unitId, homeDepts }) =>
    post(
      'query ($unit: Int, $homeDepts: [Int]) { counts(unit: $unit, homeDepts: $homeDepts) { nodes { priority count } } }',
      { unit: unitId, homeDepts },
    ),
  calendar: (viewer, from, to) =>
    post(
      `query ($viewer: Int, $unit: Int, $homeDepts: [Int], $from: Datetime, $to: Datetime) {
         calendar(viewer: $viewer, unit: $unit, homeDepts: $homeDepts, since: $from, until: $to) { nodes { ${selection} } } }`,
      { ...place(viewer), ...instants(viewer, from, to) },
    ),
  mark: ({ userId, unitId }, feedKey, pinned) =>
    post('mutation ($input: SetPinnedInput!) { setPinned(input: $input) { result } }', {
      input: { viewer: userId, unit: unitId, feed: String(feedKey), pinned },
    }),
  status: ({ unitId }, feedKey, status) =>
    post('mutation ($input: SetStatusInput!) { setStatus(input: $input) { result } }', {
      input: { unit: unitId, feed: String(feedKey), status },
    }),
  task: ({ userId }, name) =>
    post('mutation ($input: CreateTaskInput!) { createTask(input: $input) { result } }', {
      input: { viewer: userId, name },
    }),
};
