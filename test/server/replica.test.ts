import { randomUUID } from 'node:crypto';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { freshDatabase, startApp, type TestApp } from '../support/app.ts';
import { hasServer } from '../support/migrated.ts';
import { feed, organisation } from '../support/records.ts';

/** The same server, whose host and port are parameters. */
function withoutHost(url: string): string {
  const { hostname, port } = new URL(url);
  return `${url.replace(`${hostname}:${port}`, '')}?host=${hostname}&port=${port}`;
}

/** Another database of the same server says of itself what a replica says that has replayed everything, to whoever comes by a posing relay. */
const POSE = `CREATE SCHEMA posing;
  CREATE FUNCTION posing.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT true';
  CREATE FUNCTION posing.pg_last_wal_replay_lsn() RETURNS pg_lsn LANGUAGE sql AS 'SELECT pg_current_wal_insert_lsn()'`;

/** What a replica says that has replayed nothing. */
const LATE = `CREATE OR REPLACE FUNCTION posing.pg_last_wal_replay_lsn() RETURNS pg_lsn LANGUAGE sql AS 'SELECT ''0/0''::pg_lsn'`;
const ON_TIME = `CREATE OR REPLACE FUNCTION posing.pg_last_wal_replay_lsn() RETURNS pg_lsn LANGUAGE sql AS 'SELECT pg_current_wal_insert_lsn()'`;
/** What a replica says that receives nothing; with `true`, one that has its primary. */
const ALONE = 'CREATE OR REPLACE VIEW posing.pg_stat_wal_receiver AS SELECT 1 AS pid WHERE false';
const ID = randomUUID();

/** A gateway with a replica that has these records, and says that it has replayed everything; `named` writes its address. */
async function startBeside(
  records: readonly object[] = organisation,
  named = (url: string): string => url,
): Promise<{ app: TestApp; replica: TestApp; token: string; close: () => Promise<void> }> {
  const [database, behind] = [await freshDatabase(), await freshDatabase()];
  if (database.kind !== 'server' || behind.kind !== 'server') throw new Error('no server');
  const replica = await startApp({ database: behind });
  await replica.load(records);
  await replica.services.db.pool.query(POSE);
  const posing = await relayTo(behind.url, pose);
  const app = await startApp({
    database,
    env: { DATABASE_URL: database.url, DATABASE_REPLICA_URL: named(posing.url) },
  });
  await app.load(organisation);
  const close = async (): Promise<void> => {
    for (const one of [app, posing, replica]) await one.close();
  };
  return { app, replica, token: await app.signedIn('ana'), close };
}

it.runIf(hasServer())(
  'reads of Prisma are answered by the replica, and by the primary when they fail there',
  async () => {
    const { app, replica, token, close } = await startBeside(organisation, withoutHost);
    try {
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
      await close();
    }
  },
  60_000,
);

it.runIf(hasServer())(
  'a list that is too large is refused by the replica, and not read from the primary as well',
  async () => {
    const feeds = Array.from({ length: 100 }, (_, index) => feed(index + 1));
    const { app, replica, token, close } = await startBeside([...organisation, ...feeds]);
    try {
      const list = () =>
        app.rest('/task/v1/feeds/list?limit=100&projections=feed_description', token);
      await expect.poll(async () => (await list()).json['feed_details']?.length).toBe(100);
      await replica.services.db.pool.query(`UPDATE feed SET description = repeat('x', 1400000)`);
      const refused = await list();
      expect([refused.status, refused.headers.get('x-error-code')]).toEqual([400, 'E900']);
    } finally {
      await close();
    }
  },
  60_000,
);

it.runIf(hasServer())(
  'a list of datasets, projects or images and what it counts come from one database',
  async () => {
    const { app, replica, token, close } = await startBeside();
    try {
      const { prisma } = replica.services.db;
      const { id: userId, domainId } = await prisma.user.findUniqueOrThrow({
        where: { login: 'ana' },
      });
      const [workspaceId, datasetId, projectId, blobId] = [
        randomUUID(),
        randomUUID(),
        randomUUID(),
        randomUUID(),
      ];
      const createdAt = new Date();
      const named = { name: 'There', description: '', createdAt };
      await prisma.workspace.create({
        data: {
          id: workspaceId,
          domainId,
          name: 'There',
          createdAt,
          members: { create: { userId, role: 'OWNER' } },
          datasets: { create: { id: datasetId, ...named, updatedAt: createdAt } },
          projects: { create: { id: projectId, ...named } },
          blobs: {
            create: {
              id: blobId,
              sha256: '0'.repeat(64),
              crc32: 0,
              byteSize: 1,
              storageKey: 'there',
              createdAt,
            },
          },
        },
      });
      await prisma.projectDataset.create({ data: { projectId, datasetId, assignedAt: createdAt } });
      await prisma.image.create({
        data: {
          id: randomUUID(),
          datasetId,
          name: 'there.jpg',
          width: 1,
          height: 1,
          blobId,
          thumbBlobId: blobId,
          createdDate: createdAt,
        },
      });
      const read = async (path: string): Promise<unknown> =>
        (await app.rest(path, token)).json['data'];
      const images = `/api/Datasets/images?DatasetId=${datasetId}&PageSize=10&PageNumber=1`;
      await expect
        .poll(() => read(images))
        .toMatchObject({ totalCount: 1, data: [{ name: 'there.jpg' }] });
      expect(await read(`/api/Datasets?workspaceId=${workspaceId}`)).toMatchObject([
        { imagesCount: 1, projectsCount: 1 },
      ]);
      expect(await read(`/api/Projects?workspaceId=${workspaceId}`)).toMatchObject([
        { imageCount: 1 },
      ]);
    } finally {
      await close();
    }
  },
  60_000,
);

it.runIf(hasServer())(
  'of several replicas, one that is late or gone is left out, and comes back by itself',
  async () => {
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
    const posing = await Promise.all(behind.map((one) => relayTo(urlOf(one), pose)));
    const app = await startApp({
      database,
      env: {
        DATABASE_URL: urlOf(database),
        DATABASE_REPLICA_URL: posing.map(({ url }) => url).join(', '),
      },
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
      for (const one of [...posing, ...replicas]) await one.close();
    }
  },
  90_000,
);

it.runIf(hasServer())(
  'while there is no primary, a replica that has lost it goes on with the reads',
  async () => {
    const [database, behind] = [await freshDatabase(), await freshDatabase()];
    if (database.kind !== 'server' || behind.kind !== 'server') throw new Error('no server');
    const replica = await startApp({ database: behind });
    await replica.load([...organisation, feed(1), feed(2)]);
    await replica.services.db.pool.query(POSE);
    // From the start: a prepared statement does not notice a view that comes to hide another.
    await replica.services.db.pool.query(ALONE);
    // Other databases of the server move its log.
    await replica.services.db.pool.query(
      ON_TIME.replace('pg_current_wal_insert_lsn()', "''FFFF/0''::pg_lsn"),
    );
    const relay = await relayTo(database.url);
    const posing = await relayTo(behind.url, pose);
    const app = await startApp({
      database: { ...database, url: relay.url },
      env: { DATABASE_URL: relay.url, DATABASE_REPLICA_URL: posing.url },
    });
    try {
      await app.load([...organisation, feed(1)]);
      const token = await app.signedIn('ana');
      const { rows } = await app.services.db.pool.query<{ row: object }>(
        'SELECT to_jsonb(s) AS row FROM session s',
      );
      await replica.services.db.pool.query(
        'INSERT INTO session SELECT * FROM jsonb_populate_record(null::session, $1)',
        [rows[0]?.row],
      );
      const keys = async (): Promise<unknown> => {
        const { status, json } = await app.rest('/task/v1/feeds/list?projections=feed_key', token);
        return status === 200 ? json.feed_details.length : status;
      };
      const pin = (): Promise<any> =>
        app.gql(
          'mutation ($id: ID!) { setFeedState(input: { feedIds: [$id], pinned: true }) { __typename } }',
          { id: Buffer.from('Feed:1').toString('base64') },
          token,
        );
      await relay.close();
      await expect.poll(keys, { timeout: 20_000 }).toBe(2);
      expect((await app.rest('/readyz', '')).status).toBe(200);
      expect((await pin()).status).toBe(503);
      expect(await keys()).toBe(2);

      // One that is not alone is as late as it was, and nobody knows how late.
      await replica.services.db.pool.query(ALONE.replace('false', 'true'));
      await expect.poll(keys, { timeout: 20_000 }).toBe(503);
      await replica.services.db.pool.query(ALONE);
      await expect.poll(keys, { timeout: 20_000 }).toBe(2);

      await relay.open();
      await expect.poll(async () => (await pin()).status, { timeout: 20_000 }).toBe(200);
    } finally {
      await app.close();
      for (const one of [posing, replica, relay]) await one.close();
    }
  },
  90_000,
);

/** The first message of a session, so that it looks for what a database says of itself in the schema `posing` first. */
function pose(startup: Buffer): Buffer {
  const path = 'search_path=';
  const posing = startup.toString('latin1').replace(path, `${path}posing,pg_catalog,`);
  const message = Buffer.from(posing, 'latin1');
  message.writeInt32BE(message.length);
  return message;
}

/** Another address of a server, which can be closed and opened again. `change` changes the first message of each session. */
async function relayTo(
  url: string,
  change = (startup: Buffer): Buffer => startup,
): Promise<{ url: string; open: () => Promise<void>; close: () => Promise<void> }> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const onward = connect(Number(port), hostname);
    client.once('data', (startup: Buffer) => {
      onward.write(change(startup));
      client.pipe(onward);
    });
    onward.pipe(client);
    for (const [socket, other] of [
      [client, onward],
      [onward, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  let at = 0;
  const open = (): Promise<void> =>
    new Promise((resolve) => server.listen(at, '127.0.0.1', () => resolve()));
  await open();
  at = (server.address() as AddressInfo).port;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return { url: url.replace(`:${port}`, `:${at}`), open, close };
}
