import type pg from 'pg';
import type { Services } from '../../src/core/context/context.ts';
import { domainTables } from '../../src/core/database/copy/domain-tables.ts';
import { belongsSql } from '../../src/core/database/copy/row-sql.ts';
import { importRecords } from '../../src/import/import-records.ts';
import { asLines } from '../../src/import/read-lines.ts';

/** What the keys of units, departments and users of a copy are raised by, for each copy before it. */
const STEP = 10_000;
/** The same for assignments and other parts of feeds. */
const PARTS = 1_000_000_000;
/** Tables without rows of a domain that was only imported, or with rows that a copy does not need. */
const LEFT_OUT = new Set(['change_log', 'audit_log', 'session', 'legacy_usage']);

const KINDS = ['PROJECT', 'TASK', 'PROJECT', 'PROJECT', 'TASK', 'MESSAGE', 'PROJECT', 'TASK'];

/** A domain of 20 stores, 10 departments and 100 users with feeds. */
export function* domainRecords(domain: string, feeds: number): Generator<object> {
  yield { record: 'domain', name: domain };
  for (let n = 0; n < 20; n++) yield { record: 'unit', domain, name: `store ${n}` };
  for (let n = 0; n < 10; n++) yield { record: 'dept', domain, name: `dept ${n}` };
  for (let n = 0; n < 100; n++)
    yield {
      ...{ record: 'user', domain, login: `user${n}`, display_name: `User ${n}` },
      ...{ unit: `store ${n % 20}`, depts: [{ name: `dept ${n % 10}`, home: true }] },
      permissions: ['REOPEN_FEED'],
    };
  for (let n = 1; n <= feeds; n++)
    yield {
      ...{ record: 'feed', domain, feed_key: n, kind: KINDS[n % 8], feed_title: `Work ${n}` },
      ...{ unit: `store ${n % 20}`, dept: `dept ${(n >> 3) % 10}`, priority: n % 5, status: 'P' },
      ...(n % 5 === 0 ? { owner: `user${n % 100}` } : {}),
      ...(n % 7 === 0 ? { assignments: [{ user: `user${(n * 3) % 100}` }] } : {}),
      start_date_time: instant(n % 300),
      end_date_time: instant((n % 300) + 1 + (n % 11)),
    };
}

const instant = (day: number): string =>
  new Date(Date.UTC(2026, 8, 1 + day, day % 24)).toISOString().slice(0, 19).replace('T', ' ');

/**
 * Fills an empty database: one domain through the importer, whose rows are then copied with other keys, without triggers
 * and with the indexes made afterwards. Hours become minutes.
 */
export async function copyDomains(
  services: Services,
  { domains, feeds }: { domains: number; feeds: number },
): Promise<void> {
  await importRecords(services, asLines(domainRecords('acme', feeds)), { name: 'bench' });
  const client = await services.db.pool.connect();
  try {
    for (const setting of [
      'session_replication_role = replica',
      'synchronous_commit = off',
      'statement_timeout = 0',
      `maintenance_work_mem = '1GB'`,
    ])
      await client.query(`SET ${setting}`);
    const { rows } = await client.query<{ name: string; sql: string }>(
      `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS sql FROM pg_index
       WHERE indrelid IN ('feed'::regclass, 'feed_listing'::regclass, 'feed_assignment'::regclass) AND NOT indisunique`,
    );
    for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
    const copy = await copyStatements(client, feeds);
    for (let n = 1; n < domains; n++) {
      for (const sql of copy) await client.query(sql, [n]);
      console.log(`domain ${n + 1} of ${domains}`);
    }
    for (const { name, sql } of rows) {
      await client.query(sql);
      console.log(`index ${name}`);
    }
    await client.query('VACUUM ANALYZE');
  } finally {
    // Its settings end with it.
    client.release(true);
  }
}

/** Statements that copy the rows of the first domain; $1 counts the copies. */
async function copyStatements(client: pg.ClientBase, feeds: number): Promise<string[]> {
  const statements: string[] = [];
  for (const { name, belongs } of domainTables) {
    if (LEFT_OUT.has(name)) continue;
    const { rows } = await client.query<{ column: string }>(
      `SELECT attname AS column FROM pg_attribute WHERE attrelid = '"${name}"'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    );
    const columns = rows.map(({ column }) => column);
    const values = columns.map((column) => shifted(name, column, feeds));
    const wheres = name === 'domain' ? ['t.id = 1'] : belongs.map((how) => belongsSql(how, 1));
    for (const where of wheres) {
      const found = await client.query(`SELECT FROM "${name}" t WHERE ${where} LIMIT 1`);
      if (found.rowCount === 0) continue;
      statements.push(
        `INSERT INTO "${name}" (${columns.map((column) => `"${column}"`).join(', ')}) SELECT ${values.join(', ')} FROM "${name}" t WHERE ${where}`,
      );
    }
  }
  return statements;
}

function shifted(table: string, column: string, feeds: number): string {
  const [value, copies] = [`t."${column}"`, '$1::int'];
  const by = (step: number): string => `${value} + ${copies} * ${step}::bigint`;
  if (column === 'domain_id' || (table === 'domain' && column === 'id'))
    return `${value} + ${copies}`;
  if (column === 'feed_key' || column === 'parent_feed_key') return by(feeds);
  if (/^(unit|dept|user|owner_user|profile|subject)_id$/.test(column)) return by(STEP);
  if (column === 'id' && ['unit', 'dept', 'user'].includes(table)) return by(STEP);
  if (column === 'id' && table.startsWith('feed_')) return by(PARTS);
  if (column === 'login' || (table === 'domain' && column === 'name'))
    return `${value} || '-' || ${copies}`;
  return value;
}
