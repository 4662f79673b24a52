import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { directoryOf } from './scim.ts';
import { january } from '../task-execution/calendar/store.ts';
import { jpeg } from './images.ts';
import type { TestAppOptions } from './app.ts';
import { startTracker, type Tracker } from './tracker.ts';

/** One of each thing, all reachable for ana, who may do everything in acme, and what names them: for requests that nobody would write by hand. */
export interface FuzzWorld extends Tracker {
  ana: string;
  /** Of datasets and tasks, as REST takes them. */
  uuids: string[];
  /** Of all kinds. */
  globalIds: string[];
  cursors: string[];
  callers: Record<'user' | 'customer' | 'directory' | 'anonymous', Record<string, string>>;
}

export async function startFuzzWorld(options: TestAppOptions = {}): Promise<FuzzWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'trivium-fuzz-'));
  const app = await startTracker({ ...options, env: { DATA_DIR: folder } });
  await app.load([
    ...january,
    { record: 'user', domain: 'acme', login: 'ana', permissions: ['SUPERVISOR', 'DOMAIN_ADMIN'] },
  ]);
  const ana = await app.signedIn('ana');
  const make = async (path: string, body: object | FormData): Promise<string> => {
    const isForm = body instanceof FormData;
    const { status, json } = await app.rest(path, ana, {
      method: 'POST',
      body: isForm ? body : JSON.stringify(body),
      ...(!isForm && { headers: { 'content-type': 'application/json' } }),
    });
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(json)}`);
    return json['data'];
  };
  const globalId = (type: string, id: string | number): string =>
    Buffer.from(`${type}:${id}`).toString('base64');
  const workspaceId = await make('/api/Workspaces/create', { name: 'One' });
  const datasetId = await make('/api/Datasets/create', {
    workspaceId,
    name: 'One',
    description: 'x',
  });
  const upload = new FormData();
  for (const [name, value] of Object.entries({
    DatasetId: datasetId,
    FileName: 'one.jpg',
    Image: new Blob([Uint8Array.from(await jpeg(40, 30))]),
  }))
    upload.set(name, value);
  const imageId = await make('/api/Images/addImage', upload);
  const made = await app.gql(
    'mutation ($input: CreateProjectInput!) { createProject(input: $input) { ... on CreateProjectPayload { project { id uuid } } } }',
    { input: { workspaceId: globalId('Workspace', workspaceId), name: 'One', description: 'x' } },
    ana,
  );
  const { id: projectGlobalId, uuid: projectId } = made.data.createProject.project;
  await make('/api/Projects/AssignDataset', { projectId, datasetId });
  const job = await app.gql(
    'mutation ($input: ExportProjectInput!) { exportProject(input: $input) { ... on ExportProjectPayload { job { id } } } }',
    { input: { projectId: projectGlobalId, filter: 'ALL' } },
    ana,
  );
  const taskId: string = (
    await app.post('/api/task-tracker-external/tasks', { name: 'One', assignedTo: 'ana' })
  ).json['id'];
  await app.post('/api/task-tracker-external/tasks/title/templates', ['One']);
  const pages = await app.gql(
    '{ viewer { feeds(first: 2) { changeCursor pageInfo { endCursor } } byTitle: feeds(first: 2, orderBy: [{ field: FEED_TITLE }]) { pageInfo { endCursor } } } }',
    {},
    ana,
  );
  const { feeds, byTitle } = pages.data.viewer;
  const jobId: string = job.data.exportProject.job.id;
  return {
    ...app,
    ana,
    uuids: [
      workspaceId,
      datasetId,
      imageId,
      projectId,
      taskId,
      Buffer.from(jobId, 'base64').toString().split(':')[1] ?? '',
    ],
    globalIds: [
      ...[1, 10, 30, 40, 50, 900].map((key) => globalId('Feed', key)),
      globalId('Workspace', workspaceId),
      globalId('Dataset', datasetId),
      globalId('DatasetImage', imageId),
      projectGlobalId,
      jobId,
      globalId('ExternalTask', taskId),
    ],
    cursors: [feeds.changeCursor, feeds.pageInfo.endCursor, byTitle.pageInfo.endCursor],
    callers: {
      user: { 'x-service-csrf-token-x': ana },
      customer: { 'API-Key': app.key, customerId: 'shop' },
      directory: { authorization: `Bearer ${(await directoryOf(app, 'acme')).token}` },
      anonymous: {},
    },
    async close() {
      // Jobs run in turn: when this one does, none writes into the folder any more.
      await new Promise<void>((resolve) =>
        app.services.background(() => Promise.resolve(resolve())),
      );
      await app.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const texts = [
  '',
  ' ',
  '0',
  '-1',
  '1',
  '2147483648',
  '-2147483649',
  '9007199254740993',
  '99999999999999999999',
  '1e3',
  '1.5',
  'NaN',
  'Infinity',
  'true',
  'null',
  'undefined',
  '[]',
  '{}',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '\0',
  'a\0b',
  '\ud800',
  '\udfff\ud800',
  '\u202e',
  '\ufeff',
  'ı',
  'İ',
  'ß',
  '👩‍👩‍👧‍👦',
  'e\u0301'.repeat(50),
  '%',
  '_',
  '%_%',
  "'",
  "' OR 1=1 --",
  '"; DROP TABLE feed; --',
  '\\',
  '$1',
  '{{}}',
  '${x}',
  '../../etc/passwd',
  '\r\nX-Injected: 1',
  ',',
  ',,,',
  'a,b,\0,-1',
  '2027-01-10',
  '20270110',
  '20270230',
  '00000101',
  '0000-01-01',
  '99991231',
  '9999-12-31',
  '-000001-01-01',
  '275760-09-13',
  '2027-01-10T10:00:00',
  '2027-01-10T25:61:61',
  '2027-01-10T10:00:00Z',
  '2027-01-10T10:00:00+25:00',
  '9999-12-31T23:59:59.999Z',
  '0001-01-01T00:00:00Z',
  '2027-01-10 10:00:00',
  '1895-01-01T00:00:00Z',
  '4102444800000',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '{00000000-0000-0000-0000-000000000000}',
  'x'.repeat(300),
  'ü'.repeat(2_000),
  'M',
  'A',
  'CALENDAR',
  'list',
  'ana',
  'shop',
  'https://example.com/?a=b',
  'javascript:alert(1)',
  'Feed:',
  'Feed:1',
  'Feed:1e5',
  'Feed:-1',
  'Feed:99999999999999999999',
  'Feed:1:2',
  ':',
  'Workspace:x',
  'DatasetImage:00000000-0000-0000-0000-000000000000',
];

/** A position as lists give it, with values that none has. */
const cursor = (real: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(...real),
    fc
      .tuple(fc.constantFrom(...real), fc.nat(200), fc.constantFrom('A', '_', '-', '%', ''))
      .map(([text, at, by]) => text.slice(0, at) + by + text.slice(at + 1)),
    // Of the right list, so that the digest of the order holds, but with other values.
    fc
      .tuple(
        fc.constantFrom(...real),
        fc.array(
          fc.oneof(
            fc.constantFrom(...texts),
            fc.constantFrom(
              '2027-01-10 10:00:00+00',
              '2027-02-30 10:00:00+00',
              '9999-99-99 99:99:99+00',
              '0000-00-00 00:00:00+00',
              '0000-01-01 00:00:00+00',
              '2147483647',
            ),
          ),
          { maxLength: 6 },
        ),
      )
      .map(([text, values]) => {
        try {
          const [version, digest] = JSON.parse(Buffer.from(text, 'base64url').toString());
          return Buffer.from(JSON.stringify([version, digest, values])).toString('base64url');
        } catch {
          return text;
        }
      }),
    fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')),
  );

/** Text that somebody could put where any other is expected. */
export function oddText({
  uuids,
  globalIds,
  cursors,
}: Pick<FuzzWorld, 'uuids' | 'globalIds' | 'cursors'>): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...texts) },
    { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
    { weight: 2, arbitrary: fc.constantFrom(...uuids, ...uuids.map((id) => id.toUpperCase())) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        ...globalIds,
        ...globalIds.map((id) => id.slice(0, -1)),
        ...texts.map((text) => Buffer.from(text).toString('base64')),
      ),
    },
    { weight: 2, arbitrary: cursor(cursors) },
  );
}

const numbers = [
  '0',
  '-0',
  '1',
  '-1',
  '5',
  '12',
  '2027',
  '1.5',
  '1e400',
  '-1e400',
  '1e-400',
  '2147483648',
  '-2147483649',
  '9007199254740993',
  '-9007199254740993',
  '123456789012345678901234567890',
  '20270110',
  '1798761600000',
];

/** JSON of any shape as text: with members that come twice, `__proto__`, numbers that no double holds, and lists in lists. */
export function oddJson(
  text: fc.Arbitrary<string>,
  names: readonly string[] = [],
): fc.Arbitrary<string> {
  const name = fc.constantFrom('__proto__', 'constructor', 'toString', '', 'a', ...names);
  const { value } = fc.letrec<{ value: string; list: string; object: string; scalar: string }>(
    (tie) => ({
      scalar: fc.oneof(
        text.map((one) => JSON.stringify(one)),
        fc.constantFrom(...numbers),
        fc.constantFrom('true', 'false', 'null'),
      ),
      list: fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
      object: fc
        .array(fc.tuple(name, tie('value')), { maxLength: 4 })
        .map(
          (members) =>
            `{${members.map(([key, one]) => `${JSON.stringify(key)}:${one}`).join(',')}}`,
        ),
      value: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        { weight: 4, arbitrary: tie('scalar') },
        { weight: 1, arbitrary: tie('list') },
        { weight: 1, arbitrary: tie('object') },
      ),
    }),
  );
  const deep = fc
    .tuple(fc.constantFrom(30, 2_000, 20_000), fc.constantFrom(['[', ']'], ['{"a":', '}']))
    .map(([depth, [open = '', close = '']]) => `${open.repeat(depth)}1${close.repeat(depth)}`);
  return fc.oneof({ weight: 30, arbitrary: value }, { weight: 1, arbitrary: deep });
}

/** The same sequence on every run, so that a test that passed once passes again; FUZZ_SEED and FUZZ_FACTOR look further. */
export function fuzzRuns(numRuns: number): fc.Parameters<unknown> {
  const seed = process.env['FUZZ_SEED'];
  return {
    numRuns: numRuns * Number(process.env['FUZZ_FACTOR'] ?? 1),
    seed: seed === undefined ? 20_261_120 : Number(seed),
    endOnFailure: true,
  };
}
