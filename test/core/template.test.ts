import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { openDatabase } from '../../src/core/database/db.ts';
import { appliedMigrations } from '../../src/core/migrations/migration-state.ts';

const folder = mkdtempSync(join(tmpdir(), 'trivium-template-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Made {
  system: unknown;
  log: unknown;
  migrations: number;
  rows: unknown;
}

async function make(name: string): Promise<Made> {
  const db = await openDatabase({ database: { kind: 'embedded', dataDir: join(folder, name) } });
  try {
    const [[system, log, rows] = []] = await db.rows(
      `SELECT system_identifier::text, (SELECT log_id FROM change_log_state), (SELECT count(*)::text FROM domain) FROM pg_control_system()`,
      [],
    );
    return { system, log, rows, migrations: (await appliedMigrations(db)).applied };
  } finally {
    await db.close();
  }
}

it('new embedded databases are copies of the template: migrated and empty, each with a change log of its own', async () => {
  const program = ['--import', 'tsx', 'src/core/database/make-template.ts', '.build'];
  await promisify(execFile)(process.execPath, program);
  const [first, second] = [await make('first'), await make('second')];
  expect(second.system).toBe(first.system);
  expect(second.log).not.toBe(first.log);
  const all = readdirSync('prisma/migrations', { withFileTypes: true });
  for (const { migrations, rows } of [first, second])
    expect([migrations, rows]).toEqual([all.filter((one) => one.isDirectory()).length, '0']);
  // The second start finds what the first one made.
  expect(await make('first')).toEqual(first);
}, 240_000);
