import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { freshDatabase } from '../support/app.ts';
import { hasServer } from '../support/migrated.ts';
import { feed, organisation } from '../support/records.ts';
import { cliProgram } from '../support/trivium.ts';

/** A database, a connection to it, and an import into it from standard input that stays open. */
async function beginImport(prepare = 'SELECT'): Promise<{
  other: pg.Client;
  stdin: NodeJS.WritableStream;
  ended: Promise<{ status: unknown; told: string }>;
}> {
  const database = await freshDatabase();
  if (database?.kind !== 'server') throw new Error('the database is not on a server');
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query(prepare);
  const command = spawn(process.execPath, [cliProgram, 'import', '-'], {
    env: { ...process.env, DATABASE_URL: database.url },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  onTestFinished(() => void command.kill('SIGKILL'));
  const [exit, told] = [once(command, 'exit'), text(command.stderr)];
  const feeds = Array.from({ length: 1_600 }, (_, index) => feed(index + 1));
  command.stdin.write(
    [...organisation, ...feeds].map((record) => `${JSON.stringify(record)}\n`).join(''),
  );
  const ended = exit.then(async ([status]) => ({ status: status as unknown, told: await told }));
  return { other, stdin: command.stdin, ended };
}

/** The number of the server's process that the query finds, as soon as there is one. */
const processOf = (client: pg.Client, query: string): Promise<number> =>
  vi.waitFor(
    async () => {
      const { rows } = await client.query<{ pid: number }>(query);
      if (!rows[0]) throw new Error('there is none');
      return rows[0].pid;
    },
    { timeout: 20_000 },
  );

it.runIf(hasServer())(
  'an import that fails ends the command, although its standard input stays open',
  async () => {
    // Its first batch waits for the lists of feeds.
    const { other, ended } = await beginImport('BEGIN; LOCK TABLE feed_listing');
    const waiting = await processOf(
      other,
      `SELECT pid FROM pg_locks WHERE NOT granted AND relation = 'feed_listing'::regclass AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    await other.query('SELECT pg_terminate_backend($1)', [waiting]);
    const { status, told } = await ended;
    expect(status).toBe(1);
    expect(told).toContain('terminating connection');
  },
);

it.runIf(hasServer())(
  'an import that loses its connection between two batches says so in one line',
  async () => {
    const { other, stdin, ended } = await beginImport();
    const idle = await processOf(
      other,
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction' AND EXISTS (SELECT FROM pg_locks l WHERE l.pid = pg_stat_activity.pid AND l.relation = 'feed'::regclass AND l.mode = 'RowExclusiveLock')`,
    );
    await other.query('SELECT pg_terminate_backend($1, 10000)', [idle]);
    stdin.end(`${JSON.stringify(feed(2_000))}\n`);
    const { status, told } = await ended;
    expect(status).toBe(1);
    expect(told).toMatch(/^error: .*connection.*\n$/);
    expect((await other.query('SELECT FROM feed')).rowCount).toBe(0);
  },
);
