import { spawn } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { freshDatabase } from '../support/app.ts';
import { hasServer } from '../support/migrated.ts';
import { feed, organisation } from '../support/records.ts';
import { cliProgram } from '../support/trivium.ts';

it.runIf(hasServer())(
  'an import that fails ends the command, although its standard input stays open',
  async () => {
    const database = await freshDatabase();
    if (database?.kind !== 'server') throw new Error('the database is not on a server');
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    onTestFinished(() => other.end());
    // Its first batch waits for the lists of feeds.
    await other.query('BEGIN; LOCK TABLE feed_listing');
    const command = spawn(process.execPath, [cliProgram, 'import', '-'], {
      env: { ...process.env, DATABASE_URL: database.url },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    onTestFinished(() => void command.kill('SIGKILL'));
    const ended = once(command, 'exit');
    let told = '';
    command.stderr.on('data', (text: Buffer) => (told += String(text)));
    const feeds = Array.from({ length: 1_600 }, (_, index) => feed(index + 1));
    command.stdin.write(
      [...organisation, ...feeds].map((record) => `${JSON.stringify(record)}\n`).join(''),
    );
    const waiting = await vi.waitFor(
      async () => {
        const { rows } = await other.query<{ pid: number }>(
          `SELECT pid FROM pg_locks WHERE NOT granted AND relation = 'feed_listing'::regclass AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        );
        expect(rows).toHaveLength(1);
        return rows[0]?.pid;
      },
      { timeout: 20_000 },
    );
    await other.query('SELECT pg_terminate_backend($1)', [waiting]);
    expect(await ended).toEqual([1, null]);
    expect(told).toContain('terminating connection');
  },
);
