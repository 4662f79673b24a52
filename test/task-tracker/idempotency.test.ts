import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import type { Services } from '../../src/core/context/context.ts';
import { withIdempotency } from '../../src/core/context/with-idempotency.ts';
import { forgetExpired } from '../../src/core/context/forget-expired.ts';
import { writeAuditLog } from '../../src/core/context/write-audit-log.ts';
import { NOON } from '../support/app.ts';
import { startTracker, TASKS, TEMPLATES, type Tracker } from '../support/tracker.ts';

let app: Tracker;
beforeAll(async () => {
  app = await startTracker();
});
afterAll(() => app.close());

const tasksNamed = (name: string) => app.services.db.prisma.externalTask.count({ where: { name } });
const HOUR = 3_600_000;

it('F253 100 parallel calls with one key have one effect', async () => {
  const answers = await Promise.all(
    Array.from({ length: 100 }, () =>
      app.post(TASKS, { name: 'Once', assignedTo: 'ana' }, { 'Idempotency-Key': 'parallel' }),
    ),
  );
  const made = answers.filter(({ status }) => status === 201);
  expect(
    answers.map(({ status }) => status).filter((status) => status !== 201 && status !== 409),
  ).toEqual([]);
  expect(made.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
  expect(new Set(made.map(({ text }) => text)).size).toBe(1);
  expect(await tasksNamed('Once')).toBe(1);
  expect(await app.services.db.prisma.feed.count({ where: { title: 'Once' } })).toBe(1);
  for (const running of answers.filter(({ status }) => status === 409)) {
    expect(running.headers.get('retry-after')).toBe('1');
    expect(running.json.type).toBe('urn:trivium:idempotency-key-running');
  }
  const replays = await Promise.all(
    Array.from({ length: 30 }, () =>
      app.post(TASKS, { assignedTo: 'ana', name: 'Once' }, { 'Idempotency-Key': 'parallel' }),
    ),
  );
  for (const replay of replays)
    expect([replay.status, replay.headers.get('idempotent-replayed'), replay.text]).toEqual([
      201,
      'true',
      made[0]?.text,
    ]);
});

it('F253 while the first call runs the second is 409 with Retry-After', async () => {
  let finish = (): void => undefined;
  const started = new Promise<void>((started) => {
    const write = {
      scope: 'customer:shop',
      operation: 'createTaskTemplates',
      key: 'slow',
      request: ['x'],
      answer: z.string(),
    };
    void withIdempotency(app.services, write, async () => {
      started();
      await new Promise<void>((resolve) => (finish = resolve));
      return 'done';
    });
  });
  await started;
  if (app.services.db.embedded) setTimeout(finish, 50); // its one connection is taken: who comes second waits
  const second = await app.post(TEMPLATES, ['y'], { 'Idempotency-Key': 'slow' });
  expect(second.status).toBe(app.services.db.embedded ? 422 : 409);
  if (second.status === 409) expect(second.headers.get('retry-after')).toBe('1');
  finish();
});

it('F253 another body with the same key is 422; another operation, customer or GraphQL user has keys of its own', async () => {
  const key = { 'Idempotency-Key': 'k-422' };
  const first = await app.post(TASKS, { name: 'First', priority: 'LOW' }, key);
  const other = await app.post(TASKS, { name: 'First', priority: 'HIGH' }, key);
  expect([other.status, other.json.type]).toEqual([422, 'urn:trivium:idempotency-key-reused']);
  expect((await app.post(TEMPLATES, ['First'], key)).status).toBe(201);
  const foe = await app.post(
    TASKS,
    { name: 'First', priority: 'LOW' },
    { ...key, 'API-Key': app.foeKey, customerId: 'foe' },
  );
  expect([foe.status, foe.headers.get('idempotent-replayed')]).toEqual([201, null]);
  expect(foe.json.id).not.toBe(first.json.id);
  const gql = await app.gql(
    'mutation { createExternalTask(input: { name: "First", idempotencyKey: "k-422" }) { ... on CreateExternalTaskPayload { replayed } } }',
    {},
    await app.signedIn('sue'),
  );
  expect(gql.data.createExternalTask).toEqual({ replayed: false });
});

it('F253 a replay gives the first answer, also when the task has changed or would have expired since', async () => {
  const body = { name: 'Early', expiryTime: '2026-11-20T13:00:00Z' };
  const first = await app.post(TASKS, body, { 'Idempotency-Key': 'early' });
  await app.services.db.rows(`UPDATE feed SET status = 'C' WHERE feed_key = $1`, [
    first.json.feedKey,
  ]);
  app.setTime(NOON + 2 * HOUR);
  const again = await app.post(TASKS, body, { 'Idempotency-Key': 'early' });
  expect([again.status, again.text, again.headers.get('location')]).toEqual([
    201,
    first.text,
    first.headers.get('location'),
  ]);
  expect((await app.post(TASKS, body)).json.errors).toMatchObject([{ code: 'EXPIRY_IN_PAST' }]);
  app.setTime(NOON);
});

it('F253 refusals are not stored: the repaired request may use the key', async () => {
  expect((await app.post(TASKS, { name: '' }, { 'Idempotency-Key': 'repair' })).status).toBe(400);
  expect(
    (await app.post(TASKS, { name: 'Repaired' }, { 'Idempotency-Key': 'repair' })).status,
  ).toBe(201);
});

it('F253 after a crash there is all or nothing: what was rolled back is done by the retry', async () => {
  const write = {
    scope: 'customer:shop',
    operation: 'test',
    key: 'crash',
    request: {},
    answer: z.object({ id: z.string() }),
  };
  const work = async ({ db }: Pick<Services, 'db'>) => {
    const entry = { actor: 'a', surface: 'COMMAND', action: 'crash', at: new Date(NOON) } as const;
    await writeAuditLog(db, entry);
    return { id: '1' };
  };
  const crash = withIdempotency(app.services, write, async (tx) => {
    await work(tx);
    throw new Error('power cut');
  });
  await expect(crash).rejects.toThrow('power cut');
  expect(await withIdempotency(app.services, write, work)).toEqual({
    answer: { id: '1' },
    replayed: false,
  });
  expect(await withIdempotency(app.services, write, work)).toEqual({
    answer: { id: '1' },
    replayed: true,
  });
  expect(await app.services.db.prisma.auditLog.count({ where: { action: 'crash' } })).toBe(1);
});

it('F253 a key holds for 24 hours', async () => {
  const key = { 'Idempotency-Key': 'day' };
  await app.post(TASKS, { name: 'Daily' }, key);
  app.setTime(NOON + 24 * HOUR - 1);
  await forgetExpired(app.services);
  expect((await app.post(TASKS, { name: 'Daily' }, key)).headers.get('idempotent-replayed')).toBe(
    'true',
  );
  app.setTime(NOON + 24 * HOUR);
  expect(
    (await app.post(TASKS, { name: 'Daily' }, key)).headers.get('idempotent-replayed'),
  ).toBeNull();
  expect(await tasksNamed('Daily')).toBe(2);
  app.setTime(NOON + 48 * HOUR);
  // What comes from another database counts on the rows that came before.
  const { domain, idempotencyRecord } = app.services.db.prisma;
  const arriving = await domain.create({ data: { name: 'arriving', state: 'ARRIVING' } });
  await forgetExpired(app.services);
  expect(await idempotencyRecord.count()).toBeGreaterThan(0);
  await domain.delete({ where: { id: arriving.id } });
  await forgetExpired(app.services);
  expect(await app.services.db.prisma.idempotencyRecord.count()).toBe(0);
  app.setTime(NOON);
});

it('keys that have ended are forgotten a few thousand at a time', async () => {
  const { db } = app.services;
  await db.rows(
    `INSERT INTO idempotency_record (scope, operation, key, request_hash, created_at, expires_at)
     SELECT 'test', 'test', n, '', to_timestamp(0), to_timestamp(n) FROM generate_series(1, 5001) n`,
    [],
  );
  await db.rows(
    `CREATE FUNCTION few() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF (SELECT count(*) FROM gone) > 5000 THEN RAISE EXCEPTION 'too many at once'; END IF; RETURN NULL; END $$`,
    [],
  );
  await db.rows(
    `CREATE TRIGGER few AFTER DELETE ON idempotency_record REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION few()`,
    [],
  );
  await forgetExpired(app.services);
  expect(await db.prisma.idempotencyRecord.count({ where: { scope: 'test' } })).toBe(0);
  await db.rows('DROP FUNCTION few CASCADE', []);
});

it.each(['', 'é', 'x'.repeat(256)])(
  'F253 a key has 1 to 255 printable characters: %j',
  async (key) => {
    const sent = await app.gql(
      'mutation ($key: String!) { createTaskTemplates(input: { titles: ["t"], idempotencyKey: $key }) { ... on ValidationError { problems { path code } } } }',
      { key },
      await app.signedIn('sue'),
    );
    expect(sent.data.createTaskTemplates.problems).toEqual([
      { path: ['input', 'idempotencyKey'], code: 'INVALID' },
    ]);
    if (key.length > 200)
      expect(
        (await app.post(TASKS, { name: 'x' }, { 'Idempotency-Key': key })).json.errors,
      ).toMatchObject([{ field: 'idempotencyKey', code: 'INVALID' }]);
  },
);

it('F253 in GraphQL: replayed, and IdempotencyError for another input', async () => {
  const sue = await app.signedIn('sue');
  const create = async (name: string) =>
    (
      await app.gql(
        'mutation ($name: String!) { createExternalTask(input: { name: $name, idempotencyKey: "g1" }) { __typename ... on CreateExternalTaskPayload { replayed task { uuid } } ... on IdempotencyError { code retryAfterSeconds } } }',
        { name },
        sue,
      )
    ).data.createExternalTask;
  const first = await create('G');
  expect(await create('G')).toEqual({ ...first, replayed: true });
  expect(await create('H')).toEqual({
    __typename: 'IdempotencyError',
    code: 'IDEMPOTENCY_KEY_REUSED',
    retryAfterSeconds: null,
  });
});
