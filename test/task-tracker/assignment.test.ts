import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startBackground } from '../../src/server/background.ts';
import { expireTasks } from '../../src/task-tracker/tasks/expire-tasks.ts';
import { NOON } from '../support/app.ts';
import { subscribeSse, type Stream } from '../support/streams.ts';
import { startTracker, TASKS, type Tracker } from '../support/tracker.ts';

let app: Tracker;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  app = await startTracker();
  for (const login of ['ana', 'bob', 'sue', 'bo', 'boss'])
    tokens[login] = await app.signedIn(login);
});
afterAll(() => app.close());
beforeEach(async () => {
  app.setTime(NOON);
  await app.services.db.rows('DELETE FROM feed', []);
});

const waiting = async (login: string, args = 'first: 100'): Promise<any> =>
  (
    await app.gql(
      `{ viewer { unassignedExternalTasks(${args}) { totalCount pageInfo { hasNextPage hasPreviousPage endCursor startCursor } edges { cursor } nodes { id name status feedKey } } } }`,
      {},
      tokens[login],
    )
  ).data?.viewer.unassignedExternalTasks;
const namesFor = async (login: string): Promise<string[]> =>
  (await waiting(login)).nodes.map(({ name }: any) => name);
const create = async (body: object): Promise<any> => {
  const { json } = await app.post(TASKS, body);
  return { ...json, nodeId: Buffer.from(`ExternalTask:${json.id}`).toString('base64') };
};
const assign = async (login: string, input: object): Promise<any> =>
  (
    await app.gql(
      `mutation ($input: AssignExternalTaskInput!) { assignExternalTask(input: $input) { __typename ... on AssignExternalTaskPayload { task { assignedTo assignedGroup status } }
       ... on ValidationError { problems { path code } } ... on ConflictError { currentVersion } } }`,
      { input },
      tokens[login],
    )
  ).data.assignExternalTask;
const feedOf = (feedKey: number) =>
  app.services.db.prisma.feed.findUniqueOrThrow({ where: { feedKey: BigInt(feedKey) } });

it('F249 a task without an assignee waits for the supervisors of its store, or of all stores when it names none', async () => {
  await create({ name: 'Berlin', storeName: 'Berlin' });
  await create({ name: 'Boston', storeName: 'Boston' });
  await create({ name: 'Anywhere' });
  await create({ name: 'Unknown store', storeName: 'Atlantis' });
  await create({ name: 'Unknown user', assignedTo: 'zoe' });
  await create({ name: 'Assigned', assignedTo: 'ana' });
  await create({ name: 'Group', assignedGroup: 'office' });
  expect(await namesFor('sue')).toEqual(['Berlin', 'Anywhere', 'Unknown store', 'Unknown user']);
  expect(await namesFor('bo')).toEqual(['Boston', 'Anywhere', 'Unknown store', 'Unknown user']);
  expect(await namesFor('boss')).toEqual([]);
  const refused = await app.gql(
    '{ viewer { unassignedExternalTasks { totalCount } } }',
    {},
    tokens['ana'],
  );
  expect(refused.errors?.[0]?.extensions['code']).toBe('FORBIDDEN');
});

it('F249 the queue pages both ways', async () => {
  for (let n = 1; n <= 5; n++) await create({ name: `T${n}` });
  const first = await waiting('sue', 'first: 2');
  expect(first).toMatchObject({
    totalCount: 5,
    nodes: [{ name: 'T1' }, { name: 'T2' }],
    pageInfo: { hasNextPage: true, hasPreviousPage: false },
  });
  const second = await waiting('sue', `first: 2, after: "${first.pageInfo.endCursor}"`);
  expect(second).toMatchObject({
    nodes: [{ name: 'T3' }, { name: 'T4' }],
    pageInfo: { hasNextPage: true, hasPreviousPage: true },
  });
  expect(await waiting('sue', `last: 2, before: "${second.pageInfo.startCursor}"`)).toMatchObject({
    nodes: [{ name: 'T1' }, { name: 'T2' }],
    pageInfo: { hasPreviousPage: false, hasNextPage: true },
  });
  expect(await waiting('sue', 'last: 1')).toMatchObject({
    nodes: [{ name: 'T5' }],
    pageInfo: { hasPreviousPage: true, hasNextPage: false },
  });
});

it('F249 a supervisor assigns a task to a user and a group: it appears in their feeds and leaves the queue', async () => {
  const task = await create({ name: 'Wash', storeName: 'Berlin' });
  expect(await assign('sue', { taskId: task.nodeId, login: 'ANA', group: 'office' })).toMatchObject(
    { task: { assignedTo: 'ANA', assignedGroup: 'office', status: 'TODO' } },
  );
  expect(await namesFor('sue')).toEqual([]);
  for (const login of ['ana', 'bob']) {
    const { data } = await app.gql(
      '{ viewer { feeds { nodes { feedKey assignToDesc externalTask { name } } } } }',
      {},
      tokens[login],
    );
    expect(data.viewer.feeds.nodes).toEqual([
      { feedKey: task.feedKey, assignToDesc: 'Ana, Office', externalTask: { name: 'Wash' } },
    ]);
  }
  expect((await feedOf(task.feedKey)).version).toBe(2);
  expect(await assign('sue', { taskId: task.nodeId, login: 'ana', group: 'Office' })).toMatchObject(
    { __typename: 'AssignExternalTaskPayload' },
  );
  expect((await feedOf(task.feedKey)).version).toBe(2);
  expect(await assign('sue', { taskId: task.nodeId, login: 'bob' })).toEqual({
    __typename: 'ConflictError',
    currentVersion: 2,
  });
});

describe('F249 unassignedExternalTasksChanged', () => {
  const follow = (token: string, first = 2): Promise<Stream> =>
    subscribeSse(
      app,
      token,
      'subscription ($first: Int) { unassignedExternalTasksChanged(first: $first) { totalCount nodes { name } } }',
      { first },
    );
  const told = ({ results }: Stream): [number, ...string[]][] =>
    results.map(({ data: { unassignedExternalTasksChanged: queue } }) => [
      queue.totalCount,
      ...queue.nodes.map(({ name }: any) => name),
    ]);
  const until = async (stream: Stream, last: [number, ...string[]]): Promise<void> =>
    expect.poll(() => told(stream).at(-1)).toEqual(last);
  const codeOf = async (stream: Stream): Promise<unknown> => {
    const [{ errors }] = await stream.until((results) => results.length > 0);
    stream.close();
    return errors[0].extensions.code;
  };

  it('tells supervisors at once, and when a task comes, changes, is assigned or closed', async () => {
    const first = await create({ name: 'One', storeName: 'Berlin' });
    const sue = await follow(tokens['sue']!);
    const bo = await follow(tokens['bo']!);
    await until(sue, [1, 'One']);
    await until(bo, [0]);
    const second = await create({ name: 'Two' });
    await until(sue, [2, 'One', 'Two']);
    await until(bo, [1, 'Two']);
    await create({ name: 'Three' });
    await until(sue, [3, 'One', 'Two']);
    await assign('sue', { taskId: first.nodeId, login: 'ana' });
    await until(sue, [2, 'Two', 'Three']);
    await app.load([{ feed_key: second.feedKey, domain: 'acme', status: 'C' }]);
    await until(sue, [1, 'Three']);
    await until(bo, [1, 'Three']);
    sue.close();
    bo.close();
  });

  it('is for supervisors, as long as they are supervisors of their unit, and ends with the session', async () => {
    expect(await codeOf(await follow(tokens['ana']!))).toBe('FORBIDDEN');
    expect(await codeOf(await follow(tokens['sue']!, 101))).toBe('BAD_USER_INPUT');
    const change = async (token: string, by: () => Promise<unknown>): Promise<unknown> => {
      const stream = await follow(token);
      await until(stream, [0]);
      await by();
      await stream.closed;
      return stream.results.slice(1);
    };
    const person = { record: 'user', domain: 'acme', login: 'new' };
    await app.load([{ ...person, unit: 'Berlin', permissions: ['SUPERVISOR'] }]);
    const token = await app.signedIn('new');
    expect(await change(token, () => app.load([{ ...person, unit: 'Boston' }]))).toEqual([
      'complete',
    ]);
    const later = await app.signedIn('new');
    expect(await change(later, () => app.load([{ ...person, permissions: [] }]))).toEqual([
      'complete',
    ]);
    await app.load([{ ...person, permissions: ['SUPERVISOR'] }]);
    const last = await app.signedIn('new');
    expect(
      await change(last, () => app.gql('mutation { signOut { __typename } }', {}, last)),
    ).toMatchObject([{ errors: [{ extensions: { legacyCode: 'E202' } }] }, 'complete']);
  });
});

it('F249 of two supervisors at the same time one wins', async () => {
  const task = await create({ name: 'Race' });
  const outcomes = await Promise.all([
    assign('sue', { taskId: task.nodeId, login: 'ana' }),
    assign('bo', { taskId: task.nodeId, login: 'bob' }),
  ]);
  expect(outcomes.map(({ __typename }) => __typename).sort()).toEqual([
    'AssignExternalTaskPayload',
    'ConflictError',
  ]);
  expect(await app.services.db.prisma.feedAssignment.count()).toBe(1);
});

it('F249 refuses unknown assignees, foreign tasks and who is no supervisor', async () => {
  const task = await create({ name: 'Mine', storeName: 'Berlin' });
  const { nodeId: taskId } = task;
  expect((await assign('sue', { taskId })).problems).toEqual([
    { path: ['input', 'login'], code: 'REQUIRED' },
  ]);
  expect((await assign('sue', { taskId, login: 'eve', group: 'Nobody' })).problems).toEqual([
    { path: ['input', 'login'], code: 'UNKNOWN_USER' },
    { path: ['input', 'group'], code: 'UNKNOWN_GROUP' },
  ]);
  // Not only to the group.
  expect((await assign('sue', { taskId, login: 'ana\0', group: 'Bakery' })).problems).toEqual([
    { path: ['input', 'login'], code: 'UNKNOWN_USER' },
  ]);
  expect((await assign('ana', { taskId, login: 'ana' })).__typename).toBe('ForbiddenError');
  for (const login of ['bo', 'boss'])
    expect((await assign(login, { taskId, login: 'ana' })).__typename).toBe('NotFoundError');
  for (const id of [
    '',
    'x',
    Buffer.from('Feed:1').toString('base64'),
    Buffer.from('ExternalTask:1').toString('base64'),
  ]) {
    expect((await assign('sue', { taskId: id, login: 'ana' })).__typename).toBe('NotFoundError');
  }
  await app.services.db.rows(`UPDATE feed SET status = 'F'`, []);
  expect((await assign('sue', { taskId, login: 'ana' })).problems).toEqual([
    { path: ['input', 'taskId'], code: 'TASK_CLOSED' },
  ]);
});

it('F251 expiry sets the feed to E with a new version, once, and only of open tasks', async () => {
  const soon = new Date(NOON + 60_000).toISOString();
  const open = await create({ name: 'Open', assignedTo: 'ana', expiryTime: soon });
  const queued = await create({ name: 'Queued', expiryTime: soon });
  const done = await create({ name: 'Done', assignedTo: 'ana', expiryTime: soon });
  const later = await create({
    name: 'Later',
    assignedTo: 'ana',
    expiryTime: new Date(NOON + 120_000).toISOString(),
  });
  const never = await create({ name: 'Never', assignedTo: 'ana' });
  await app.services.db.rows(`UPDATE feed SET status = 'C' WHERE feed_key = $1`, [done.feedKey]);
  await app.load([
    {
      feed_key: 4_000_000,
      domain: 'acme',
      kind: 'TASK',
      feed_title: 'Not from outside',
      feed_type: 'EXTERNAL',
      end_date_utc: '2026-11-01 00:00:00',
      owner: 'ana',
    },
  ]);
  app.setTime(NOON + 59_999);
  expect(await expireTasks(app.services)).toBe(0);
  app.setTime(NOON + 60_000);
  await app.services.db.rows(`UPDATE domain SET state = 'LOCKED' RETURNING id`, []);
  expect(await expireTasks(app.services)).toBe(0);
  await app.services.db.rows(`UPDATE domain SET state = 'OPEN' RETURNING id`, []);
  expect(await expireTasks(app.services)).toBe(2);
  expect(await expireTasks(app.services)).toBe(0);
  const status = async (task: any) => (await feedOf(task.feedKey)).status;
  expect(
    await Promise.all([open, queued, done, later, never, { feedKey: 4_000_000 }].map(status)),
  ).toEqual(['E', 'E', 'C', 'N', 'N', 'N']);
  expect(await feedOf(open.feedKey)).toMatchObject({
    version: 2,
    lastUpdatedAt: new Date(NOON + 60_000),
  });
  expect(await namesFor('sue')).toEqual([]);
  const { data } = await app.gql(
    '{ viewer { feeds(filter: { statuses: [EXPIRED] }) { nodes { feedTitle externalTask { status } } } } }',
    {},
    tokens['ana'],
  );
  expect(data.viewer.feeds.nodes).toEqual([
    { feedTitle: 'Open', externalTask: { status: 'EXPIRED' } },
  ]);
});

it('F249 F251 creation, assignment and expiry each tell subscribers', async () => {
  const changes = async (login: string, after?: string): Promise<any> =>
    (
      await app.gql(
        'query ($after: ChangeCursor) { viewer { feedChanges(after: $after) { endCursor edges { node { ... on FeedUpserted { feed { feedTitle status } } } } } } }',
        { after },
        tokens[login],
      )
    ).data.viewer.feedChanges;
  const told = async (login: string, after: string): Promise<string[]> =>
    (await changes(login, after)).edges.map(
      ({ node }: any) => `${node.feed.feedTitle} ${node.feed.status}`,
    );
  const start = (await changes('ana')).endCursor;
  const task = await create({ name: 'Told', expiryTime: new Date(NOON + 60_000).toISOString() });
  expect(await told('ana', start)).toEqual([]);
  await assign('sue', { taskId: task.nodeId, login: 'ana' });
  expect(await told('ana', start)).toEqual(['Told NEW']);
  const between = (await changes('ana')).endCursor;
  app.setTime(NOON + 60_000);
  await expireTasks(app.services);
  expect(await told('ana', between)).toEqual(['Told EXPIRED']);
});

it('D-51 a task that is reopened after its time does not expire again', async () => {
  const expiryTime = new Date(NOON + 60_000).toISOString();
  const task = await create({ name: 'Again', assignedTo: 'ana', expiryTime });
  const late = await create({ name: 'Late', expiryTime });
  app.setTime(NOON + 65_000);
  // Whoever works on a task after its time, before it has expired, does not keep it from that.
  await assign('sue', { taskId: late.nodeId, login: 'ana' });
  expect(await expireTasks(app.services)).toBe(2);
  await app.load([{ record: 'user', domain: 'acme', login: 'ana', permissions: ['REOPEN_FEED'] }]);
  app.setTime(NOON + 70_000);
  const id = Buffer.from(`Feed:${task.feedKey}`).toString('base64');
  const reopened = await app.gql(
    'mutation ($id: ID!) { changeFeedStatus(input: { feedId: $id, status: IN_PROGRESS }) { __typename } }',
    { id },
    await app.signedIn('ana'),
  );
  expect(reopened.data.changeFeedStatus.__typename).toBe('ChangeFeedStatusPayload');
  app.setTime(NOON + 7_000_000);
  expect(await expireTasks(app.services)).toBe(0);
  expect((await feedOf(task.feedKey)).status).toBe('P');
});

it('F251 gateways of one database expire a task once', async () => {
  for (let n = 0; n < 20; n++)
    await create({ name: `T${n}`, expiryTime: new Date(NOON + 60_000).toISOString() });
  app.setTime(NOON + 60_000);
  const counts = await Promise.all(Array.from({ length: 4 }, () => expireTasks(app.services)));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20);
  expect(await app.services.db.prisma.feed.count({ where: { version: 2, status: 'E' } })).toBe(20);
});

it('background jobs run again after a failure, and stopping waits for them', async () => {
  let runs = 0;
  let finished = 0;
  const job = {
    name: 'test',
    every: 5,
    run: async () => {
      runs++;
      if (runs === 1) throw new Error('once');
      await new Promise((resolve) => setTimeout(resolve, 20));
      finished++;
    },
  };
  const background = startBackground(app.services, [job]);
  await expect.poll(() => runs, { interval: 2 }).toBeGreaterThan(2);
  await background.stop();
  const after = runs;
  expect(finished).toBe(runs - 1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(runs).toBe(after);
});
