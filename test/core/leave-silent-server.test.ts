import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { leaveSilentServer } from '../../src/core/database/server/leave-silent-server.ts';

// A PostgreSQL server that opens sessions, and answers no statement but those about its sessions.

const SESSION = 4711;
const message = (code: string, ...parts: (string | Buffer)[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  const head = Buffer.alloc(5, code);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const int32 = (...numbers: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, at) => bytes.writeInt32BE(number, 4 * at));
  return bytes;
};
const int16 = (number: number): Buffer => int32(number).subarray(2);
const ready = message('Z', 'I');
const opened = Buffer.concat([message('R', int32(0)), message('K', int32(SESSION, 1)), ready]);
/** A result with the column `state`. */
const stateOf = (state: string): Buffer =>
  Buffer.concat([
    message(
      'T',
      int16(1),
      'state\0',
      int32(0),
      int16(0),
      int32(25),
      int16(-1),
      int32(-1),
      int16(0),
    ),
    message('D', int16(1), int32(state.length), state),
    message('C', 'SELECT 1\0'),
    ready,
  ]);
const refused = message('E', 'SFATAL\0C53300\0Msorry, too many clients already\0\0');

/** What it says to a new connection, and of its sessions: nothing unless told. */
interface Says {
  greeting: Buffer | undefined;
  state?: Buffer;
}

let server: Server | undefined;
let pool: pg.Pool | undefined;
const sockets = new Set<Socket>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  if (server) await once(server.close(), 'close');
  await pool?.end();
});

/** Connections of a pool to the server; `asked` is called when it is asked for the state of a session. */
async function connectTo(says: Says, asked: (sql: string) => void): Promise<pg.Pool> {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.once('data', () => {
      if (says.greeting) socket.write(says.greeting);
      socket.on('data', (bytes) => {
        const sql = bytes.toString();
        if (!sql.includes('pg_stat_activity')) return;
        if (says.state) socket.write(says.state);
        asked(sql);
      });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  pool = new pg.Pool({ connectionString: `postgres://me@127.0.0.1:${port}/db`, max: 1 });
  pool.on('connect', (client) => void client.on('error', () => undefined));
  // Looks every 10 ms as if 5 s had passed.
  return leaveSilentServer(pool, { statementTimeoutMs: 15_000, every: 10, step: 5_000 });
}

describe('a statement that the server does not answer', () => {
  test('fails when the server does not work on it, and the pool has its connection again', async () => {
    const asked: string[] = [];
    const says: Says = { greeting: opened, state: stateOf('idle') };
    const connected = await connectTo(says, (sql) => asked.push(sql));
    for (let time = 0; time < 2; time++)
      await expect(connected.query('UPDATE feed SET title = title')).rejects.toMatchObject({
        code: 'ETIMEDOUT',
        message: 'The database server does not answer any more',
      });
    expect(asked[0]).toContain(`WHERE pid = ${SESSION}`);
    expect(connected.totalCount).toBe(0);
  });

  test('fails when the server takes no connection either', async () => {
    const says: Says = { greeting: opened };
    const connected = await connectTo(says, () => undefined);
    const client = await connected.connect();
    server?.on('connection', (socket) => socket.destroy());
    await expect(client.query('SELECT 1')).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    client.release(true);
  });

  test.each([
    ['the server works on it', opened, stateOf('active')],
    ['the server has no place for who asks', refused, undefined],
  ])('goes on where %s', async (_, greeting, state) => {
    const says: Says = { greeting: opened, ...(state && { state }) };
    let again: () => void = () => undefined;
    const askedTwice = new Promise<void>((resolve) => (again = resolve));
    let times = 0;
    const ask = (): void => void (++times === 2 && again());
    const connected = await connectTo(says, ask);
    const client = await connected.connect();
    const [own] = sockets;
    says.greeting = greeting;
    if (greeting === refused) server?.on('connection', ask);
    const [answer] = [client.query<{ state: string }>('SELECT 1'), await askedTwice];
    own?.write(stateOf('done'));
    expect((await answer).rows).toEqual([{ state: 'done' }]);
    client.release();
  });
});
