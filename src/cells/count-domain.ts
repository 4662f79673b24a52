import type { Database } from '../core/database/db.ts';
import { copiedTables } from '../core/database/copy/domain-tables.ts';
import { countRows, inSnapshot } from '../core/database/copy/read-rows.ts';
import { findDomain } from './find-domain.ts';
import { listFiles } from './list-files.ts';

/** How much a domain has: what its export copies. */
export async function countDomain(
  db: Database,
  domain: string,
): Promise<{ rows: number; files: number }> {
  const { id: domainId } = await findDomain(db, domain);
  const { length: files } = await listFiles(db, domainId);
  return inSnapshot(db, async (tx) => {
    let rows = 0;
    for (const table of copiedTables) rows += await countRows(tx, table, { domainId });
    return { rows, files };
  });
}
