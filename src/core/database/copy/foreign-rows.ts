import { isUuid } from '../../uuid.ts';
import type { Cell } from '../../wire/wire.ts';
import type { Database } from '../db.ts';
import { copiedTables, tableOf, type DomainTable } from './domain-tables.ts';
import { belongsSql, quoted, type CopiedColumn } from './row-sql.ts';

/** A column, with its value in each of some rows. */
export interface ColumnValues extends CopiedColumn {
  values: readonly Cell[];
}

/** Has any row of another domain the same values in these columns as one of the rows that they are of? */
export async function hasForeignRows(
  db: Pick<Database, 'rows'>,
  { name, belongs }: DomainTable,
  { columns, domainId }: { columns: readonly ColumnValues[]; domainId: number },
): Promise<boolean> {
  const own =
    name === 'domain'
      ? `t.id = ${domainId}`
      : belongs.map((how) => `(${belongsSql(how, domainId)})`).join(' OR ');
  const same = columns.map(({ name, type }, at) => `t.${quoted(name)} = u.c${at}::${type}`);
  const found = await db.rows(
    `SELECT FROM ${quoted(name)} t JOIN unnest(${columns.map((_, at) => `$${at + 1}::text[]`).join(', ')}) AS u (${columns.map((_, at) => `c${at}`).join(', ')})
      ON ${same.join(' AND ')} WHERE (${own}) IS NOT TRUE LIMIT 1`,
    columns.map(({ values }) => values),
  );
  return found.length > 0;
}

/** A file of the storage that rows of another domain name, or whose folder is one of another domain. */
export async function isForeignFile(
  db: Pick<Database, 'rows'>,
  { key, domainId }: { key: string; domainId: number },
): Promise<boolean> {
  const table = tableOfFile(key);
  if (!table) return false;
  const { file = '', folder, belongs } = table;
  const keys = { name: file, type: 'text', values: [key] };
  if (await hasForeignRows(db, table, { columns: [keys], domainId })) return true;
  const above = folder === undefined && belongs[0] && tableOf(belongs[0].to);
  if (!above) return false;
  const { key: [name = ''] = [], keyType: type = 'text' } = above;
  const ids = { name, type, values: [key.split('/')[0] ?? null] };
  return hasForeignRows(db, above, { columns: [ids], domainId });
}

/** The table whose rows name files with such a key, by its first segment. */
export function tableOfFile(key: string): DomainTable | undefined {
  const [first = ''] = key.split('/');
  return copiedTables.find(
    ({ file, folder }) =>
      file !== undefined && (folder === undefined ? isUuid(first) : folder === first),
  );
}

/** A column whose values are keys of rows of another table, or of the same. */
export interface Reference {
  column: string;
  to: DomainTable;
  key: string;
}

/** The foreign keys of a table; the parameter is its name. Each has one column (test/cells/foreign-key-indexes.test.ts). */
const REFERENCES = `SELECT a.attname, p.relname, k.attname FROM pg_constraint c JOIN pg_class p ON p.oid = c.confrelid
  JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
  JOIN pg_attribute k ON k.attrelid = c.confrelid AND k.attnum = c.confkey[1]
  WHERE c.contype = 'f' AND c.conrelid = ('public.' || quote_ident($1))::regclass ORDER BY a.attname`;

/** The references of a table, without those that say to which domain a row belongs. */
export async function referencesOf(
  db: Pick<Database, 'rows'>,
  { name, belongs }: DomainTable,
): Promise<Reference[]> {
  const rows = await db.rows(REFERENCES, [name]);
  return rows
    .filter(([column]) => !belongs.some((how) => how.column === column))
    .map(([column, to, key]) => ({
      column: column ?? '',
      to: tableOf(to ?? ''),
      key: key ?? '',
    }));
}
