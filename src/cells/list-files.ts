import type { Database } from '../core/database/db.ts';
import { copiedTables } from '../core/database/copy/domain-tables.ts';
import { inSnapshot, readRows } from '../core/database/copy/read-rows.ts';

/** The keys of all files in the storage that rows of a domain name now. */
export async function listFiles(
  db: Pick<Database, 'transaction'>,
  domainId: number,
): Promise<string[]> {
  return inSnapshot(db, async (tx) => {
    const keys: string[] = [];
    for (const table of copiedTables) {
      if (table.file === undefined) continue;
      for await (const rows of readRows(tx, table, [table.file], { domainId }))
        keys.push(...rows.flatMap(([key]) => key ?? []));
    }
    return keys;
  });
}
