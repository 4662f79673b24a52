import type { Database } from '../db.ts';
import { copiedTables, type DomainTable } from './domain-tables.ts';
import type { ColumnValues } from './foreign-rows.ts';
import { belongsSql, insertSql, quoted } from './row-sql.ts';

/** Runs `work` in a transaction in which rows come as they were elsewhere; `bulk`: lists are made at its end. */
export function inCopy<T>(
  db: Pick<Database, 'transaction'>,
  { bulk }: { bulk: boolean },
  work: (tx: Database) => Promise<T>,
): Promise<T> {
  return db.transaction(async (_, tx) => {
    for (const setting of [
      'statement_timeout = 0',
      'idle_in_transaction_session_timeout = 0',
      `trivium.copy = 'on'`,
      `trivium.bulk = '${bulk ? 'on' : 'off'}'`,
    ])
      await tx.rows(`SET LOCAL ${setting}`, []);
    await tx.rows('SET CONSTRAINTS ALL DEFERRED', []);
    return work(tx);
  });
}

/** Writes rows of a table, given as the texts of their columns; `replace`: also those that are there. */
export async function writeRows(
  tx: Pick<Database, 'rows'>,
  table: DomainTable,
  { columns, replace }: { columns: readonly ColumnValues[]; replace: boolean },
): Promise<void> {
  await tx.rows(
    insertSql(table, columns, replace),
    columns.map(({ values }) => values),
  );
}

/** Begins to note the rows that are to stay. */
export async function startKeeping(tx: Pick<Database, 'rows'>): Promise<void> {
  await tx.rows('CREATE TEMP TABLE kept_row (place text, key text) ON COMMIT DROP', []);
}

/** Notes the keys of rows of a table that are to stay: each the texts of its columns. */
export async function keepRows(
  tx: Pick<Database, 'rows'>,
  { name }: DomainTable,
  keys: readonly string[],
): Promise<void> {
  await tx.rows('INSERT INTO kept_row SELECT $1, k FROM unnest($2::text[]) AS k', [name, keys]);
}

/** What stands between the columns of a key; in none of ours. */
export const KEY_GAP = '\u001f';

/** Removes the rows of a domain whose keys were not noted. */
export async function removeOthers(
  tx: Pick<Database, 'rows'>,
  { name, key, belongs }: DomainTable,
  domainId: number,
): Promise<void> {
  const text = key.map((column) => `t.${quoted(column)}::text`).join(` || '${KEY_GAP}' || `);
  for (const how of belongs)
    await tx.rows(
      `DELETE FROM ${quoted(name)} t WHERE ${belongsSql(how, domainId)} AND NOT EXISTS (SELECT FROM kept_row k WHERE k.place = '${name}' AND k.key = ${text})`,
      [],
    );
}

/** Feeds whose lists are made by one statement. */
const LISTED = 1_000;

/** Makes the lists of all feeds of a domain. */
export async function listFeeds(tx: Pick<Database, 'rows'>, domainId: number): Promise<void> {
  for (let after = '0'; ;) {
    const rows = await tx.rows(
      'SELECT feed_key FROM feed WHERE domain_id = $1 AND feed_key > $2::bigint ORDER BY feed_key LIMIT $3',
      [domainId, after, LISTED],
    );
    const keys = rows.map(([key]) => key ?? '');
    if (keys.length > 0) await tx.rows('SELECT FROM feed_listing_refresh($1::bigint[])', [keys]);
    after = keys.at(-1) ?? after;
    if (keys.length < LISTED) return;
  }
}

/** The sequences of the tables that are copied, with their column. */
const SEQUENCES = `SELECT c.relname, a.attname, pg_get_serial_sequence(quote_ident(c.relname), a.attname)
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY ($1::text[]) AND pg_get_serial_sequence(quote_ident(c.relname), a.attname) IS NOT NULL
  ORDER BY c.relname, a.attname`;

/** A sequence that gives the keys of a table. */
export interface KeySequence {
  table: string;
  column: string;
  /** As regclass prints it. */
  sequence: string;
}

/** The sequences that give keys of rows of domains. */
export async function keySequences(db: Pick<Database, 'rows'>): Promise<KeySequence[]> {
  const rows = await db.rows(SEQUENCES, [copiedTables.map(({ name }) => name)]);
  return rows.map(([table, column, sequence]) => ({
    table: table ?? '',
    column: column ?? '',
    sequence: sequence ?? '',
  }));
}

/**
 * Lets sequences give no key that came with a domain: raises those that are behind the highest key of their own kind,
 * that is, with their remainder. Nobody takes keys meanwhile: ALTER SEQUENCE locks them until the end of the transaction.
 */
export async function raiseSequences(tx: Pick<Database, 'rows'>): Promise<void> {
  for (const { table, column, sequence } of await keySequences(tx)) {
    const [name, step] = [
      quoted(column),
      `(SELECT seqincrement FROM pg_sequence WHERE seqrelid = '${sequence}'::regclass)`,
    ];
    const behind = `SELECT h.key FROM (SELECT last_value, is_called FROM ${sequence}) s
      CROSS JOIN LATERAL (SELECT max(t.${name})::bigint AS key FROM ${quoted(table)} t WHERE t.${name} >= s.last_value AND (t.${name} - s.last_value) % ${step} = 0) h
      WHERE h.key > s.last_value OR (h.key = s.last_value AND NOT s.is_called)`;
    if ((await tx.rows(behind, [])).length === 0) continue;
    await tx.rows(`ALTER SEQUENCE ${sequence} NO CYCLE`, []);
    const [now] = await tx.rows(behind, []);
    if (now) await tx.rows(`SELECT setval('${sequence}', $1::bigint)`, [now[0] ?? null]);
  }
}
