import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { leaveSilentServer } from '../../src/core/database/server/leave-silent-server.ts';

// A PostgreSQL server that opens sessions, and answers no statement but those about its sessions.

const message = (code: string, ...parts: (string | Buffer)[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  const head = Buffer.alloc(5, code);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const int32 = (number: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(number);
  return bytes;
};
const int16 = (number: number): Buffer => int32(number).subarray(2);
const ready = message('Z', 'I');
const column = (name: string, type: number): Buffer[] => [
  ...[Buffer.from(`${name}\0`), int32(0), int16(0), int32(type)],
  ...[int16(-1), int32(-1), int16(0)],
];
/** A result with the columns `pid` and `state`. */
const statesOf = (...rows: [pid: number, state: string][]): Buffer =>
  Buffer.concat([
    message('T', int16(2), ...column('pid', 23), ...column('state', 25)),
    ...rows.map((row) =>
      message('D', int16(2), ...row.flatMap((cell) => [int32(`${cell}`.length), `${cell}`])),
    ),
    message('C', 'SELECT\0'),
    ready,
  ]);
const tooMany = message('E', 'SFATAL\0C53300\0Msorry, too many clients already\0\0');

/** The first session is number 1. What the others ask is answered with what `answer` returns, if anything. */
type Answer = (session: number) => Buffer | undefined;

let server: Server | undefined;
let pool: pg.Pool | undefined;
let sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  if (server) await once(server.close(), 'close');
  await pool?.end();
});

/** A connection to the server, of a pool that looks every 10 ms as if 5 s had passed. */
async function connectTo(
  answer: Answer,
  greets: (session: number) => boolean = () => true,
): Promise<pg.Pool> {
  server = createServer((socket) => {
    const session = sockets.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      if (!greets(session)) return void socket.end(tooMany);
      const key = message('K', int32(session), int32(1));
      socket.write(Buffer.concat([message('R', int32(0)), key, ready]));
      socket.on('data', (bytes) => {
        if (!bytes.includes('pg_stat_activity')) return;
        const said = answer(session);
        if (said) socket.write(said);
      });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  pool = new pg.Pool({ connectionString: `postgres://me@127.0.0.1:${port}/db`, max: 1 });
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return leaveSilentServer(pool, { statementTimeoutMs: 15_000, every: 10, step: 5_000 });
}

const DROPPED = { code: 'ETIMEDOUT', message: 'The database server does not answer any more' };

describe('a statement that the server does not answer', () => {
  test.each([
    ['does not work for its session', (own: number) => statesOf([1, 'idle'], [own, 'active'])],
    ['has lost its session', (own: number) => statesOf([own, 'active'])],
  ])('fails when the server %s, and its place in the pool is free', async (_, answer) => {
    const connected = await connectTo(answer);
    await expect(connected.query('UPDATE feed SET title = title')).rejects.toMatchObject(DROPPED);
    expect(connected.totalCount).toBe(0);
  });

  test('fails when the server takes no connection, three times in turn', async () => {
    const connected = await connectTo(() => undefined);
    const client = await connected.connect();
    let refused = 0;
    server?.on('connection', (socket) => {
      refused++;
      socket.destroy();
    });
    await expect(client.query('SELECT 1')).rejects.toMatchObject(DROPPED);
    expect(refused).toBe(3);
    client.release(true);
  });

  test.each<[string, Answer, ((session: number) => boolean)?]>([
    ['the server works on it', (own) => statesOf([1, 'active'], [own, 'active'])],
    ['the server does not say', (own) => statesOf([1, 'disabled'], [own, 'disabled'])],
    ['a proxy numbers sessions itself', () => statesOf()],
    ['the server has no place for who asks', () => undefined, (session) => session === 1],
  ])('goes on where %s', async (_, answer, greets) => {
    const connected = await connectTo(answer, greets);
    const client = await connected.connect();
    const asked = client.query<{ state: string }>('SELECT 1');
    // The fifth is the fourth to ask: more than the failures that are borne.
    for (let sessions = 1; sessions < 5; sessions++) await once(server!, 'connection');
    sockets[0]?.write(statesOf([0, 'done']));
    expect((await asked).rows).toEqual([{ pid: 0, state: 'done' }]);
    client.release();
  });

  test('that was answered meanwhile is not taken for the next one', async () => {
    let told: (own: number) => void = () => undefined;
    const asking = new Promise<number>((resolve) => (told = resolve));
    let times = 0;
    const connected = await connectTo((own) =>
      ++times === 1 ? void told(own) : statesOf([1, 'active'], [own, 'active']),
    );
    const client = await connected.connect();
    const first = client.query('SELECT 1');
    const own = await asking;
    sockets[0]?.write(statesOf([0, 'first']));
    await first;
    const second = client.query<{ state: string }>('SELECT 2');
    sockets[own - 1]?.write(statesOf([1, 'idle'], [own, 'active']));
    await once(server!, 'connection');
    sockets[0]?.write(statesOf([0, 'second']));
    expect((await second).rows).toEqual([{ pid: 0, state: 'second' }]);
    client.release();
  });
});
