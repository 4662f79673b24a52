import type { DomainTable } from '../core/database/copy/domain-tables.ts';
import {
  hasForeignRows,
  referencesOf,
  type ColumnValues,
  type Reference,
} from '../core/database/copy/foreign-rows.ts';
import type { Database } from '../core/database/db.ts';
import { DamagedDomainFileError } from './archive/domain-file.ts';

/** Rows of a table, by their columns. */
interface CheckedRows {
  table: DomainTable;
  columns: readonly ColumnValues[];
}

/** Throws DamagedDomainFileError where a row names a file of the storage that can't be its own. */
export function checkFiles({ table, columns }: CheckedRows): void {
  const { name, file, folder, belongs } = table;
  const valuesOf = (column: string | undefined): ColumnValues['values'] =>
    columns.find((one) => one.name === column)?.values ?? [];
  const above = valuesOf(belongs[0]?.column);
  for (const [at, key] of valuesOf(file).entries())
    if (key !== null && !key.startsWith(`${folder ?? above[at] ?? ''}/`))
      throw new DamagedDomainFileError(`a row of ${name} names the file ${key}, which is not its`);
}

/**
 * Makes a check of rows that were written: that they refer to no row of another domain, which foreign keys allow. Throws
 * DamagedDomainFileError.
 */
export function referenceCheck(
  tx: Pick<Database, 'rows'>,
  domainId: number,
): (rows: CheckedRows) => Promise<void> {
  const known = new Map<string, Promise<Reference[]>>();
  return async ({ table, columns }) => {
    let references = known.get(table.name);
    if (!references) known.set(table.name, (references = referencesOf(tx, table)));
    for (const { column, to, key } of await references) {
      const found = columns.find(({ name }) => name === column);
      const values = [...new Set(found?.values)].filter((value) => value !== null);
      if (!found || values.length === 0) continue;
      const keys = { name: key, type: found.type, values };
      if (await hasForeignRows(tx, to, { columns: [keys], domainId }))
        throw new DamagedDomainFileError(
          `a row of ${table.name} refers by ${column} to a row of ${to.name} of another domain`,
        );
    }
  };
}
