import pg from 'pg';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { findLostParts } from '../../src/core/migrations/find-lost-parts.ts';
import type { Queries } from '../../src/core/migrations/migration-state.ts';
import { freshDatabase, startApp } from '../support/app.ts';

/** What a start says of a database after `statements`, which an administrator ran. */
async function startAfter(statements: readonly string[]): Promise<Record<string, any>[]> {
  const database = await freshDatabase();
  if (database.kind === 'server') {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  } else if (database.kind === 'memory')
    for (const statement of statements) await database.pglite.exec(statement);
  const lines: Record<string, any>[] = [];
  const sink = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const app = await startApp({ database, log: pino({ level: 'warn', base: null }, sink) });
  await app.close();
  return lines.filter(({ msg }) => msg.startsWith('the database lacks'));
}

it('a start tells which indexes were dropped or are invalid, and which triggers are disabled, with the migration of each', async () => {
  const lines = await startAfter([
    'DROP INDEX image_dataset_id_path_key',
    `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'feed_end_at_idx'::regclass`,
    'ALTER TABLE annotation DISABLE TRIGGER annotation_added',
  ]);
  expect(lines).toMatchObject([
    {
      level: 50,
      missing: { 'index image_dataset_id_path_key': expect.stringMatching(/^\d{14}_/) },
      invalid: { 'index feed_end_at_idx': expect.stringMatching(/^\d{14}_/) },
      disabled: { 'trigger annotation_added': expect.stringMatching(/^\d{14}_/) },
      msg: 'the database lacks indexes or triggers: rows may be stored twice, or changes be lost',
    },
  ]);
});

it('every index and every trigger of a database is known from its migrations, and a start after them says nothing', async () => {
  expect(await startAfter([])).toEqual([]);
  const app = await startApp();
  try {
    const { pool } = app.services.db;
    const { rows } = await pool.query<{ parts: string }>(
      `SELECT (SELECT count(*) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relnamespace = 'public'::regnamespace AND c.relname NOT LIKE '\\_%')
         + (SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal) AS parts`,
    );
    const bare = {
      query: async (text: string) => (text.includes('pg_index') ? { rows: [] } : pool.query(text)),
    };
    const lost = await findLostParts(bare as Queries);
    expect(Object.keys(lost?.missing ?? {})).toHaveLength(Number(rows[0]?.parts));
  } finally {
    await app.close();
  }
});
