import type { Database } from '../db.ts';
import type { Cell } from '../../wire/wire.ts';
import type { DomainTable } from './domain-tables.ts';
import { belongsSql, COLUMNS, quoted, writtenSinceSql, type CopiedColumn } from './row-sql.ts';

/** Rows that are read at a time, and characters of them: where rows are long, fewer are read next. */
const FETCH = { rows: 1_024, characters: 16_777_216 };

/** What a snapshot is, for what is copied after it. */
export interface SnapshotPlace {
  /** Which database it is of. */
  logId: string;
  /** Every transaction below this one had ended. */
  xmin: bigint;
  now: bigint;
}

/** The columns of a table that are copied. */
export async function copiedColumns(
  db: Pick<Database, 'rows'>,
  { name, own = [] }: DomainTable,
): Promise<CopiedColumn[]> {
  const rows = await db.rows(COLUMNS, [name]);
  return rows
    .map(([column, type]) => ({ name: column ?? '', type: type ?? '' }))
    .filter((column) => !own.includes(column.name));
}

/** Runs `work` in a snapshot of the database that stays as long as it takes. */
export function inSnapshot<T>(
  db: Pick<Database, 'transaction'>,
  work: (tx: Database, place: SnapshotPlace) => Promise<T>,
): Promise<T> {
  return db.transaction(async (_, tx) => {
    await tx.rows('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY', []);
    // Whole tables are read: the first rows are of no use without the last.
    for (const setting of [
      'statement_timeout = 0',
      'idle_in_transaction_session_timeout = 0',
      'cursor_tuple_fraction = 1',
    ])
      await tx.rows(`SET LOCAL ${setting}`, []);
    const [row] = await tx.rows(
      'SELECT log_id, pg_snapshot_xmin(pg_current_snapshot()), pg_snapshot_xmax(pg_current_snapshot()) FROM change_log_state',
      [],
    );
    const [logId, xmin, now] = row ?? [];
    return work(tx, { logId: logId ?? '', xmin: BigInt(xmin ?? 0), now: BigInt(now ?? 0) });
  });
}

/** Which rows of a table: those of a domain, or only those written since a transaction. */
export interface WhichRows {
  domainId: number;
  since?: { xmin: bigint; now: bigint } | undefined;
}

/** The conditions of these rows over `t`: each row meets one of them. */
function conditions({ name, belongs }: DomainTable, { domainId, since }: WhichRows): string[] {
  const fresh = since === undefined ? '' : ` AND ${writtenSinceSql(since.xmin, since.now)}`;
  const wheres =
    name === 'domain' ? [`t.id = ${domainId}`] : belongs.map((how) => belongsSql(how, domainId));
  return wheres.map((where) => where + fresh);
}

/** Reads rows as the texts of their columns, some at a time. */
export async function* readRows(
  tx: Pick<Database, 'rows'>,
  table: DomainTable,
  select: readonly string[],
  which: WhichRows,
): AsyncGenerator<Cell[][]> {
  const columns = select.map((column) => `t.${quoted(column)}`).join(', ');
  for (const [at, where] of conditions(table, which).entries()) {
    // A name of its own: what is prepared for one cursor is not for another.
    const cursor = quoted(`${table.name}_${at}_${select.join('_')}`.slice(0, 63));
    await tx.rows(
      `DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT ${columns} FROM ${quoted(table.name)} t WHERE ${where}`,
      [],
    );
    for (let count = 64; ;) {
      const rows = await tx.rows(`FETCH ${count} FROM ${cursor}`, []);
      if (rows.length > 0) yield rows;
      if (rows.length < count) break;
      const length = rows.reduce((sum, row) => sum + lengthOf(row), 0);
      if (length > FETCH.characters) count = Math.max(1, count / 4);
      else if (4 * length < FETCH.characters) count = Math.min(FETCH.rows, 4 * count);
    }
    await tx.rows(`CLOSE ${cursor}`, []);
  }
}

const lengthOf = (row: readonly Cell[]): number =>
  row.reduce((sum, cell) => sum + (cell?.length ?? 0), 0);

/** How many rows these are. */
export async function countRows(
  db: Pick<Database, 'rows'>,
  table: DomainTable,
  which: WhichRows,
): Promise<number> {
  let count = 0;
  for (const where of conditions(table, which)) {
    const [row] = await db.rows(`SELECT count(*) FROM ${quoted(table.name)} t WHERE ${where}`, []);
    count += Number(row?.[0] ?? 0);
  }
  return count;
}
