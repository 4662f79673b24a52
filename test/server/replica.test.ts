import { randomUUID } from 'node:crypto';
import { expect, inject, it } from 'vitest';
import { freshDatabase, startApp } from '../support/app.ts';
import { organisation } from '../support/records.ts';

/** Another database of the same server that says of itself what a replica says that has replayed everything. */
const POSE = `CREATE SCHEMA posing;
  CREATE FUNCTION posing.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT true';
  CREATE FUNCTION posing.pg_last_wal_replay_lsn() RETURNS pg_lsn LANGUAGE sql AS 'SELECT pg_current_wal_insert_lsn()';
  DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = posing, public, pg_catalog', current_database()); END $$`;

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
