import { tableOf, type Belongs, type DomainTable } from './domain-tables.ts';

/** A column of a table, as it is copied. */
export interface CopiedColumn {
  name: string;
  /** As pg_type has it. */
  type: string;
}

/** The columns of a table and their types, in their order; the parameter is its name. */
export const COLUMNS = `SELECT attname, typname FROM pg_attribute JOIN pg_type y ON y.oid = atttypid
  WHERE attrelid = ('public.' || quote_ident($1))::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`;

/** A name as SQL: those of tables and columns of ours. */
export const quoted = (name: string): string => `"${name}"`;

/** The rows of a table that belong to a domain in this way, over `t`. */
export function belongsSql(how: Belongs, domainId: number): string {
  const above =
    how.to === 'domain' ? `= ${key(how, String(domainId))}` : `IN (${aboveSql(how, domainId)})`;
  return [`t.${quoted(how.column)} ${above}`, ...limits(how)].join(' AND ');
}

/** The rows of a table that belong to those with the keys in $1 of the table above. */
export function belongsToKeysSql(how: Belongs): string {
  const column = `t.${quoted(how.column)}`;
  const keys =
    how.prefix === undefined
      ? `$1::${tableOf(how.to).keyType}[]`
      : `ARRAY(SELECT ${key(how, 'k')} FROM unnest($1::text[]) AS k)`;
  return [`${column} = ANY (${keys})`, ...limits(how)].join(' AND ');
}

function aboveSql(how: Belongs, domainId: number): string {
  const { name, key: keys, belongs } = tableOf(how.to);
  const [first] = belongs;
  if (!first) throw new Error(`nothing says to which domain the rows of ${name} belong`);
  const where = belongsSql(first, domainId);
  return `SELECT ${key(how, `t.${quoted(keys[0] ?? '')}`)} FROM ${quoted(name)} t WHERE ${where}`;
}

const key = ({ prefix }: Belongs, sql: string): string =>
  prefix === undefined ? sql : `'${prefix}' || ${sql}`;

function limits({ only, lists }: Belongs): string[] {
  return [
    ...(only ? [`t.${quoted(only[0])} = '${only[1]}'`] : []),
    ...(lists === undefined ? [] : [`t.list IN (${lists}0, ${lists}1, ${lists}2, ${lists}3)`]),
  ];
}

/**
 * Rows that a transaction wrote that is not older than the xid `since`: everything that a snapshot with this xmin may not
 * have seen. A row tells 32 bits of the transaction only; what is younger than `now` is of the round before. Rows frozen
 * two billion transactions ago may count as new, which does no harm.
 */
export function writtenSinceSql(since: bigint, now: bigint): string {
  const round = now - (now % ROUND);
  const xid = `(t.xmin::text::bigint + ${round})`;
  return `${xid} - CASE WHEN ${xid} > ${now} THEN ${ROUND} ELSE 0 END >= ${since}`;
}

const ROUND = 2n ** 32n;

/** Inserts rows whose columns come as arrays of texts; `replace` updates those that are there. */
export function insertSql(
  { name, key: keys }: DomainTable,
  columns: readonly CopiedColumn[],
  replace: boolean,
): string {
  const names = columns.map((column) => quoted(column.name));
  const values = columns.map(({ type }, at) => `u.c${at}::${type}`);
  const rest = names.filter((_, at) => !keys.includes(columns[at]?.name ?? ''));
  const update =
    rest.length === 0
      ? 'NOTHING'
      : `UPDATE SET ${rest.map((column) => `${column} = excluded.${column}`).join(', ')}`;
  const clash = replace ? ` ON CONFLICT (${keys.map(quoted).join(', ')}) DO ${update}` : '';
  return `INSERT INTO ${quoted(name)} (${names.join(', ')}) SELECT ${values.join(', ')}
    FROM unnest(${columns.map((_, at) => `$${at + 1}::text[]`).join(', ')}) AS u (${columns.map((_, at) => `c${at}`).join(', ')})${clash}`;
}
