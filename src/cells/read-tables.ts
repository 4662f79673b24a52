import * as z from 'zod';
import type { Database } from '../core/database/db.ts';
import type { Cell } from '../core/wire/wire.ts';
import { copiedTables, tableOf, type DomainTable } from '../core/database/copy/domain-tables.ts';
import { copiedColumns } from '../core/database/copy/read-rows.ts';
import type { CopiedColumn } from '../core/database/copy/row-sql.ts';
import { hasForeignRows } from '../core/database/copy/foreign-rows.ts';
import { keepRows, removeOthers, writeRows } from '../core/database/copy/write-rows.ts';
import { DamagedDomainFileError, most } from './archive/domain-file.ts';
import { readWhole, type TarEntry } from './archive/tar-reader.ts';
import { checkFiles, referenceCheck } from './check-rows.ts';
import { explainClash } from './explain-clash.ts';
import { refused } from './find-domain.ts';

/** Takes the entries of an export that have rows. */
export interface TableReader {
  rows(entry: TarEntry): Promise<void>;
  keys(entry: TarEntry): Promise<void>;
  /** Removes what is gone. */
  end(): Promise<void>;
  /** Rows that were written. */
  count(): number;
  /** The same, of each table. */
  came: ReadonlyMap<string, number>;
}

/** Its rows are in use until those that name them name others. */
const BYTES = 'blob';

const cells = z.array(z.string().nullable());
const keyText = z.string();

/**
 * Writes the rows of an export. `replace`: also in place of those that are there, and where keys come before them, removes
 * those whose keys do not come, first: another may have their name now.
 */
export function readTables(
  tx: Database,
  { domainId, replace }: { domainId: number; replace: boolean },
): TableReader {
  const columns = new Map<string, Promise<readonly CopiedColumn[]>>();
  const listed = new Set<string>();
  let removed = false;
  const came = new Map<string, number>();
  const remove = async (): Promise<void> => {
    if (removed) return;
    removed = true;
    for (const table of copiedTables.toReversed())
      if (listed.has(table.name) && table.name !== BYTES) await removeOthers(tx, table, domainId);
  };
  const checkReferences = referenceCheck(tx, domainId);
  const write = async (
    table: DomainTable,
    ours: readonly CopiedColumn[],
    rows: readonly (readonly Cell[])[],
  ): Promise<void> => {
    const columns = ours.map((one, at) => ({ ...one, values: rows.map((row) => row[at] ?? null) }));
    const keys = columns.filter(({ name }) => table.key.includes(name));
    const refuseForeign = async (): Promise<void> => {
      if (await hasForeignRows(tx, table, { columns: keys, domainId }))
        throw refused(
          `a row of ${table.name} has the key of a row of another domain: both databases gave their keys without CELL (docs/scaling.md)`,
        );
    };
    checkFiles({ table, columns });
    if (replace) await refuseForeign();
    await writeRows(tx, table, { columns, replace });
    if (replace) await refuseForeign();
    await checkReferences({ table, columns });
  };
  const explained = (table: DomainTable, work: () => Promise<void>): Promise<void> =>
    work().catch((error: unknown) => {
      throw explainClash(error, { whole: !replace, table: table.name });
    });
  return {
    async rows(entry) {
      await remove();
      const [table, [first, ...lines]] = [tableIn(entry), await linesOf(entry)];
      let known = columns.get(table.name);
      if (!known) columns.set(table.name, (known = copiedColumns(tx, table)));
      const ours = await known;
      const names = ours.map(({ name }) => name);
      if (first !== JSON.stringify(names))
        throw new DamagedDomainFileError(`its rows of ${table.name} have other columns`);
      const rows = lines.map((line) => rowOf(line, names.length, table));
      await explained(table, () => write(table, ours, rows));
      came.set(table.name, (came.get(table.name) ?? 0) + rows.length);
    },
    async keys(entry) {
      const table = tableIn(entry);
      const [, ...lines] = await linesOf(entry);
      listed.add(table.name);
      const keys = lines.map((line) => lineOf(keyText, line, table));
      await explained(table, () => keepRows(tx, table, keys));
    },
    async end() {
      await remove();
      if (listed.has(BYTES)) await removeOthers(tx, tableOf(BYTES), domainId);
    },
    count: () => [...came.values()].reduce((sum, rows) => sum + rows, 0),
    came,
  };
}

function tableIn({ name }: TarEntry): DomainTable {
  const table = copiedTables.find((one) => one.name === name.split('/')[1]);
  if (!table) throw new DamagedDomainFileError(`it has an unknown entry ${name}`);
  return table;
}

/** The lines of an entry. Throws DamagedDomainFileError where there are more than an export has. */
async function linesOf(entry: TarEntry): Promise<string[]> {
  const bytes = await readWhole(entry);
  let lines = 0;
  for (let at = bytes.indexOf('\n'); at !== -1; at = bytes.indexOf('\n', at + 1))
    if (++lines > most.lines + 1)
      throw new DamagedDomainFileError(`its entry ${entry.name} has too many lines`);
  return bytes.toString('utf8').replace(/\n$/, '').split('\n');
}

function rowOf(line: string, length: number, table: DomainTable): (string | null)[] {
  const row = lineOf(cells, line, table);
  if (row.length !== length) throw noRow(table);
  return row;
}

function lineOf<T>(schema: z.ZodType<T>, line: string, table: DomainTable): T {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw noRow(table);
  }
  const read = schema.safeParse(value);
  if (!read.success) throw noRow(table);
  return read.data;
}

const noRow = ({ name }: DomainTable): DamagedDomainFileError =>
  new DamagedDomainFileError(`it has a row of ${name} that is none`);
