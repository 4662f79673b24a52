import type { Database } from '../db.ts';
import { belongingTo, type DomainTable } from './domain-tables.ts';
import { belongsSql, belongsToKeysSql, quoted } from './row-sql.ts';

/** Rows that one transaction deletes. */
const STEP = 1_000;

/** Any constant: two commands that delete the same rows in another order take turns. */
const DELETING = 4_711_065;

/** Rows of a table, over `t`. */
interface Where {
  sql: string;
  params: readonly (readonly string[])[];
}

/** What happens while rows are deleted. */
export interface Deleting {
  /** Before the rows that name them: whoever goes on later finds those that are left. */
  deleteFiles: (keys: readonly string[]) => Promise<void>;
  onRows: (count: number) => void;
}

/**
 * Deletes everything that belongs to a domain, but not its own row, in short transactions. It can be stopped anywhere and
 * begun again. Lists, counts and logs are not kept up meanwhile: all of it goes.
 */
export async function deleteRows(
  db: Pick<Database, 'transaction'>,
  domainId: number,
  deleting: Deleting,
): Promise<void> {
  for (const { table, how } of belongingTo('domain').reverse())
    await deleteWhere(db, table, { sql: belongsSql(how, domainId), params: [] }, deleting);
}

async function deleteWhere(
  db: Pick<Database, 'transaction'>,
  table: DomainTable,
  where: Where,
  deleting: Deleting,
): Promise<void> {
  const below = belongingTo(table.name).reverse();
  for (;;) {
    const keys = below.length === 0 ? undefined : await firstKeys(db, table, where);
    if (keys?.length === 0) return;
    if (keys)
      for (const { table: other, how } of below)
        await deleteWhere(db, other, { sql: belongsToKeysSql(how), params: [keys] }, deleting);
    if (table.file !== undefined && keys === undefined)
      await deleteFilesOf(db, table, where, deleting);
    const count = keys
      ? await run(db, deleteKeysSql(table), [keys])
      : await run(db, deleteSomeSql(table, where.sql), where.params);
    deleting.onRows(count);
    if (count === 0) return;
  }
}

/** The first keys of a table to which others belong: these have one column. */
async function firstKeys(
  db: Pick<Database, 'transaction'>,
  { name, key: [column = ''] }: DomainTable,
  { sql, params }: Where,
): Promise<string[]> {
  const rows = await db.transaction((_, tx) =>
    tx.rows(
      `SELECT t.${quoted(column)}::text FROM ${quoted(name)} t WHERE ${sql} LIMIT ${STEP}`,
      params,
    ),
  );
  return rows.map(([key]) => key ?? '');
}

async function deleteFilesOf(
  db: Pick<Database, 'transaction'>,
  { name, file = '' }: DomainTable,
  { sql, params }: Where,
  { deleteFiles }: Deleting,
): Promise<void> {
  for (let after = ''; ;) {
    const rows = await db.transaction((_, tx) =>
      tx.rows(
        `SELECT t.${quoted(file)} FROM ${quoted(name)} t WHERE ${sql} AND t.${quoted(file)} > $${params.length + 1} ORDER BY t.${quoted(file)} LIMIT ${STEP}`,
        [...params, after],
      ),
    );
    const keys = rows.map(([key]) => key ?? '');
    await deleteFiles(keys);
    after = keys.at(-1) ?? after;
    if (keys.length < STEP) return;
  }
}

const deleteKeysSql = ({ name, key: [column = ''], keyType = 'text' }: DomainTable): string =>
  `DELETE FROM ${quoted(name)} t WHERE t.${quoted(column)} = ANY ($1::${keyType}[]) RETURNING 1`;

const deleteSomeSql = ({ name }: DomainTable, where: string): string =>
  `DELETE FROM ${quoted(name)} WHERE ctid = ANY (ARRAY(SELECT t.ctid FROM ${quoted(name)} t WHERE ${where} LIMIT ${STEP})) RETURNING 1`;

async function run(
  db: Pick<Database, 'transaction'>,
  sql: string,
  params: readonly (readonly string[])[],
): Promise<number> {
  return db.transaction(async (_, tx) => {
    for (const setting of [`statement_timeout = 0`, `trivium.copy = 'on'`, `trivium.bulk = 'on'`])
      await tx.rows(`SET LOCAL ${setting}`, []);
    await tx.rows('SELECT FROM pg_advisory_xact_lock($1::bigint)', [DELETING]);
    return (await tx.rows(sql, params)).length;
  });
}

/** Deletes the row of a domain. Throws where something still refers to it. */
export async function deleteDomainRow(tx: Pick<Database, 'rows'>, domainId: number): Promise<void> {
  await tx.rows('DELETE FROM domain WHERE id = $1', [domainId]);
}
