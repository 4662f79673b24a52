import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { january } from './store.ts';

let app: TestApp;
let ana: string;
beforeAll(async () => {
  app = await startApp();
  await app.load(january);
  ana = await app.signedIn('ana');
});
afterAll(() => app.close());

const item = 'projectId projectTitle startDate endDate';
const pages = (type: string, list: string): string =>
  `... on ${type} { all: ${list} { ${item} } truncated page: ${list}Connection(first: $first, after: $after, last: $last, before: $before) {
     totalCount nodes { ${item} } edges { cursor node { projectId } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
const query = `query ($source: CalendarSource!, $orderBy: [FeedOrder!], $first: Int, $after: Cursor, $last: Int, $before: Cursor) {
  viewer { calendar(source: $source, from: "2027-01-01", to: "2027-01-31", orderBy: $orderBy) {
    ${pages('CalendarProjects', 'projects')} ${pages('CalendarWalks', 'walks')} } } }`;
const ask = async (variables: object): Promise<Record<string, any>> => {
  const { data, errors } = await app.gql(query, variables, ana);
  expect(errors).toBeUndefined();
  return data.viewer.calendar;
};

const orders = ['START_DATE_TIME', 'END_DATE_TIME', 'FEED_TITLE', 'PRIORITY'].flatMap((field) =>
  ['ASC', 'DESC'].map((direction) => [{ field, direction }]),
);
const asked = fc.oneof(
  fc.record({ source: fc.constant('STORE_PROJECTS'), orderBy: fc.constantFrom([], ...orders) }),
  fc.record({ source: fc.constantFrom('STORE_SUGGESTED_DATE_PROJECTS', 'STORE_WALK_CAL') }),
);

it('the pages of projects and walks, in either direction, are all of them in their order', async () => {
  const sizes = fc.integer({ min: 1, max: 7 });
  await fc.assert(
    fc.asyncProperty(asked, sizes, fc.boolean(), async (calendar, size, backward) => {
      const { all, truncated } = await ask(calendar);
      expect([all.length > 1, truncated]).toEqual([true, false]);
      const found: unknown[] = [];
      let cursor: string | undefined;
      do {
        const args = backward ? { last: size, before: cursor } : { first: size, after: cursor };
        const { page } = await ask({ ...calendar, ...args });
        expect(page.totalCount).toBe(all.length);
        expect(page.edges.map(({ node }: any) => node.projectId)).toEqual(
          page.nodes.map(({ projectId }: any) => projectId),
        );
        const { pageInfo, nodes, edges } = page;
        expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual([
          edges[0].cursor,
          edges.at(-1).cursor,
        ]);
        const behind = backward ? pageInfo.hasNextPage : pageInfo.hasPreviousPage;
        expect(behind).toBe(cursor !== undefined);
        if (backward) found.unshift(...nodes);
        else found.push(...nodes);
        const ahead = backward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage;
        cursor = ahead ? (backward ? pageInfo.startCursor : pageInfo.endCursor) : undefined;
      } while (cursor !== undefined);
      expect(found).toEqual(all);
    }),
    { numRuns: 25 },
  );
});

it('refuses a position of another order, and more than 100 at once', async () => {
  const calendar = { source: 'STORE_PROJECTS', orderBy: [{ field: 'PRIORITY', direction: 'ASC' }] };
  const { page } = await ask({ ...calendar, first: 1 });
  const other = { source: 'STORE_PROJECTS', first: 1, after: page.pageInfo.endCursor };
  const { errors } = await app.gql(query, other, ana);
  expect(errors?.[0]?.extensions).toMatchObject({ legacyCode: 'E901' });
  const many = await app.gql(query, { ...calendar, first: 101 }, ana);
  expect(many.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT' });
});
