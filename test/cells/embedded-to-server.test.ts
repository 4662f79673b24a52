import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { freshDatabase } from '../support/app.ts';
import { startBeside } from '../support/folder-gateway.ts';
import { hasServer } from '../support/migrated.ts';
import { trivium } from '../support/trivium.ts';

const folder = mkdtempSync(join(tmpdir(), 'trivium-to-server-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const records = [
  { record: 'domain', name: 'acme' },
  { record: 'unit', domain: 'acme', name: 'Berlin', time_zone: 'Europe/Berlin' },
  { record: 'user', domain: 'acme', login: 'ana', unit: 'Berlin' },
  {
    feed_key: 7,
    kind: 'TASK',
    domain: 'acme',
    unit: 'Berlin',
    feed_title: 'Ä',
    assignments: [{ user: 'ana' }],
  },
];

it.runIf(hasServer())(
  'an embedded database moves to PostgreSQL by its domains, with their sessions',
  { timeout: 240_000 },
  async () => {
    const database = await freshDatabase();
    const url = database.kind === 'server' ? database.url : '';
    const embedded = { DATA_DIR: join(folder, 'embedded') };
    const server = { DATA_DIR: join(folder, 'server'), DATABASE_URL: url };
    const done = async (env: Record<string, string>, ...args: string[]): Promise<string> => {
      const { status, stdout, stderr } = await trivium(args, { cwd: folder, env });
      expect([status, stderr]).toEqual([0, expect.any(String)]);
      return stdout.trim();
    };
    const lines = records.map((record) => JSON.stringify(record)).join('\n');
    writeFileSync(join(folder, 'records.ndjson'), lines);
    await done(embedded, 'import', 'records.ndjson');
    const token = await done(embedded, 'session', 'create', '--login', 'ana');
    await done(embedded, 'domain', 'export', '--domain', 'acme', '--lock', 'acme.tar');
    await done(server, 'domain', 'import', 'acme.tar');

    const { gateway } = await startBeside(server);
    const list = new URL('/task/v1/feeds/list?projections=feed_title', gateway.url);
    const reply = await fetch(list, { headers: { 'X-service-csrf-token-X': token } });
    const body: unknown = await reply.json();
    await gateway.close();
    expect(body).toMatchObject({ feed_details: [{ feed_key: 7, feed_title: 'Ä' }] });
  },
);
