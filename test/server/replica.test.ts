import { randomUUID } from 'node:crypto';
import { expect, inject, it } from 'vitest';
import { freshDatabase, startApp } from '../support/app.ts';
import { organisation } from '../support/records.ts';

/** Another database of the same server that says of itself what a replica says that has replayed everything. */
const POSE = `CREATE SCHEMA posing;
  CREATE FUNCTION posing.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT true';
  CREATE FUNCTION posing.pg_last_wal_replay_lsn() RETURNS pg_lsn LANGUAGE sql AS 'SELECT pg_current_wal_insert_lsn()';
  DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = posing, public, pg_catalog', current_database()); END $$`;

/** What a replica says that has replayed nothing. */
const LATE = `CREATE OR REPLACE FUNCTION posing.pg_last_wal_replay_lsn() RETURNS pg_lsn LANGUAGE sql AS 'SELECT ''0/0''::pg_lsn'`;
const ON_TIME = `CREATE OR REPLACE FUNCTION posing.pg_last_wal_replay_lsn() RETURNS pg_lsn LANGUAGE sql AS 'SELECT pg_current_wal_insert_lsn()'`;
const ID = randomUUID();

it('reads of Prisma are answered by the replica, and by the primary when they fail there', async () => {
  if (inject('template').kind === 'embedded') return; // it has no replica
  const [database, behind] = [await freshDatabase(), await freshDatabase()];
  if (database.kind !== 'server' || behind.kind !== 'server') throw new Error('no server');
  const replica = await startApp({ database: behind });
  await replica.load(organisation);
  // For the sessions that begin after it.
  await replica.services.db.pool.query(POSE);
  const app = await startApp({
    database,
    env: { DATABASE_URL: database.url, DATABASE_REPLICA_URL: behind.url },
  });
  try {
    await app.load(organisation);
    const token = await app.signedIn('ana');
    const { prisma } = replica.services.db;
    const { domainId } = await prisma.user.findUniqueOrThrow({ where: { login: 'ana' } });
    const id = randomUUID();
    await prisma.taskTemplate.create({
      data: { id, domainId, title: 'There', titleFold: 'there', createdAt: new Date() },
    });
    const read = () =>
      app.gql(
        'query ($id: ID!) { node(id: $id) { ... on TaskTemplate { title } } }',
        { id: Buffer.from(`TaskTemplate:${id}`).toString('base64') },
        token,
      );
    await expect.poll(async () => (await read()).data).toEqual({ node: { title: 'There' } });
    await replica.services.db.pool.query('ALTER TABLE task_template RENAME TO gone');
    expect(await read()).toMatchObject({ status: 200, data: { node: null } });
  } finally {
    await app.close();
    await replica.close();
  }
}, 60_000);

it('of several replicas, one that is late or gone is left out, and comes back by itself', async () => {
  if (inject('template').kind === 'embedded') return; // it has no replica
  const database = await freshDatabase();
  const behind = [await freshDatabase(), await freshDatabase()] as const;
  const urlOf = (one: typeof database): string => (one.kind === 'server' ? one.url : '');
  const replicas = [
    await startApp({ database: behind[0] }),
    await startApp({ database: behind[1] }),
  ] as const;
  for (const [number, replica] of replicas.entries()) {
    await replica.load(organisation);
    await replica.services.db.pool.query(POSE);
    const { domainId } = await replica.services.db.prisma.user.findUniqueOrThrow({
      where: { login: 'ana' },
    });
    const data = {
      id: ID,
      domainId,
      title: `Replica ${number}`,
      titleFold: '',
      createdAt: new Date(),
    };
    await replica.services.db.prisma.taskTemplate.create({ data });
  }
  const app = await startApp({
    database,
    env: { DATABASE_URL: urlOf(database), DATABASE_REPLICA_URL: behind.map(urlOf).join(', ') },
  });
  try {
    await app.load(organisation);
    const token = await app.signedIn('ana');
    const query = 'query ($id: ID!) { node(id: $id) { ... on TaskTemplate { title } } }';
    const id = Buffer.from(`TaskTemplate:${ID}`).toString('base64');
    const ask = async (): Promise<unknown> =>
      (await app.gql(query, { id }, token)).data.node?.title;
    /** The titles of what answers ten reads. */
    const answers = async (): Promise<unknown[]> => {
      const found = new Set<unknown>();
      for (let read = 0; read < 10; read++) found.add(await ask());
      return [...found].sort();
    };
    const wait = { timeout: 20_000 };
    await expect.poll(answers, wait).toEqual(['Replica 0', 'Replica 1']);
    const pool = replicas[0].services.db.pool;
    await pool.query(LATE);
    await expect.poll(answers, wait).toEqual(['Replica 1']);
    await pool.query(ON_TIME);
    await expect.poll(answers, wait).toEqual(['Replica 0', 'Replica 1']);
    await replicas[1].services.db.pool.query('DROP SCHEMA posing CASCADE');
    await expect.poll(answers, wait).toEqual(['Replica 0']);
  } finally {
    await app.close();
    for (const replica of replicas) await replica.close();
  }
}, 90_000);
