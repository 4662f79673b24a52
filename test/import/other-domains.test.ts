import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { importRecords } from '../../src/import/import-records.ts';
import type { SourceLine } from '../../src/import/read-lines.ts';
import { freshDatabase, startApp } from '../support/app.ts';
import { hasServer } from '../support/migrated.ts';
import { organisation } from '../support/records.ts';

it.runIf(hasServer())(
  'an import that has written configuration leaves the rows of domains to others until it ends',
  async () => {
    const database = await freshDatabase();
    if (database?.kind !== 'server') throw new Error('the database is not on a server');
    const app = await startApp({ database });
    onTestFinished(() => app.close());
    await app.load(organisation);
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    onTestFinished(() => other.end());
    const version = async (): Promise<unknown> =>
      (await other.query('SELECT DISTINCT config_version FROM domain')).rows;
    const before = await version();
    const records = [
      { record: 'config', scope: 'DOMAIN', domain: 'acme', key: 'no_records', value: '50' },
      ...['Night', 'Day'].map((name) => ({ record: 'dept', domain: 'acme', name })),
      { record: 'profile', domain: 'acme', name: 'Guest' },
    ];
    async function* lines(): AsyncGenerator<SourceLine> {
      for (const [at, record] of records.entries())
        yield { line: at + 1, text: JSON.stringify(record) };
      await vi.waitFor(async () => {
        const { rows } = await other.query(
          `SELECT FROM pg_locks WHERE relation = 'config_entry'::regclass AND mode = 'RowExclusiveLock' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        );
        expect(rows.length).toBeGreaterThan(0);
      }, 20_000);
      await other.query('SELECT FROM domain FOR NO KEY UPDATE NOWAIT');
    }
    const counts = await importRecords(app.services, lines(), { name: 'open' });
    expect(counts['config']).toEqual({ new: 1, changed: 0, same: 0 });
    const after = await version();
    expect(after).toHaveLength(1);
    expect(after).not.toEqual(before);
    await app.load(records);
    expect(await version()).toEqual(after);
  },
);
