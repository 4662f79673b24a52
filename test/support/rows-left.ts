import type { Services } from '../../src/core/context/context.ts';
import { domainTables } from '../../src/core/database/copy/domain-tables.ts';

/** What is left of domains: tables with rows that are not the installation's own, and keys of files in the storage. */
export async function leftOfDomains({
  db,
  storage,
}: Pick<Services, 'db' | 'storage'>): Promise<{ tables: string[]; files: string[] }> {
  const left: { tables: string[]; files: string[] } = { tables: [], files: [] };
  for (const { name } of domainTables) {
    const where =
      name === 'config_entry'
        ? `WHERE scope <> 'SYSTEM'`
        : name === 'audit_log'
          ? 'WHERE domain_id IS NOT NULL'
          : '';
    const { rowCount } = await db.pool.query(`SELECT FROM "${name}" ${where} LIMIT 1`);
    if (rowCount !== 0) left.tables.push(name);
  }
  for await (const { key } of storage.list()) left.files.push(key);
  return left;
}
