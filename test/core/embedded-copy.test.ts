import type { PGlite } from '@electric-sql/pglite';
import { describe, expect, inject, it } from 'vitest';
import { openEmbeddedCopy } from '../support/embedded-copy.ts';

const template = inject('template');

/** What a database has that no test may find changed. */
async function described(pglite: PGlite): Promise<unknown> {
  const queries = [
    'SELECT relname, relkind, relfilenode FROM pg_class ORDER BY oid',
    'SELECT datname, oid FROM pg_database ORDER BY oid',
    `SELECT name, setting FROM pg_settings WHERE source = 'session' ORDER BY name`,
    'SELECT name FROM pg_prepared_statements',
    'SELECT pg_listening_channels()',
    'SELECT count(*) FROM "user"',
    'SELECT pg_current_xact_id_if_assigned()',
    `SELECT size FROM pg_ls_dir('base') folder, pg_stat_file('base/' || folder)`,
    'SELECT count(*) FROM pg_ls_waldir()',
  ];
  const answers = [];
  for (const sql of queries) answers.push((await pglite.query(sql)).rows);
  return answers;
}

/** What tests do, and worse. */
const deeds: Record<string, string> = {
  'more rows than its memory holds': `CREATE TABLE long AS SELECT n, repeat(md5(n::text), 8) AS text FROM generate_series(1, 60000) n; CREATE INDEX ON long (text)`,
  'settings, prepared statements, channels and temporary tables': `SET work_mem = '1MB'; PREPARE p AS SELECT 1; LISTEN c; CREATE TEMP TABLE t AS SELECT 1`,
  'no tables any more': 'DROP SCHEMA public CASCADE',
  'another database, and files written to disk': 'CREATE DATABASE other; CHECKPOINT',
  'an error within a transaction': 'BEGIN; CREATE TABLE half (a int); SELECT 1 / 0',
  'tables that were rewritten': 'VACUUM FULL; REINDEX DATABASE postgres',
};

describe.runIf(template.kind === 'embedded')('an embedded database that is given back', () => {
  const open = (): Promise<PGlite> =>
    openEmbeddedCopy(template.kind === 'embedded' ? template.file : '');

  it.each(Object.entries(deeds))('is as it was: with %s', async (_, sql) => {
    const first = await open();
    const { Module } = first;
    const before = await described(first);
    for (const statement of sql.split('; ')) await first.exec(statement).catch(() => undefined);
    await first.close();
    expect(() => first.exec('SELECT 1')).toThrow('this copy of the database is closed');

    const second = await open();
    expect(second.Module === Module).toBe(true);
    expect(await described(second)).toEqual(before);
    await second.exec(`INSERT INTO domain (name) VALUES ('again')`);
    await second.exec('VACUUM');
    await second.close();
  });

  it('is not given to two', async () => {
    const [first, second] = await Promise.all([open(), open()]);
    await first.exec('CREATE TABLE mine (a int)');
    await expect(second.query('SELECT FROM mine')).rejects.toThrow('does not exist');
    await Promise.all([first.close(), first.close(), second.close()]);
    const [third, fourth] = await Promise.all([open(), open()]);
    expect(third.Module === fourth.Module).toBe(false);
    await Promise.all([third.close(), fourth.close()]);
  });
});
