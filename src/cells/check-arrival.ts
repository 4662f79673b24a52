import type { Database } from '../core/database/db.ts';
import { copiedTables } from '../core/database/copy/domain-tables.ts';
import { countRows } from '../core/database/copy/read-rows.ts';
import { appliedMigrations } from '../core/migrations/migration-state.ts';
import { DamagedDomainFileError, type DomainFileHeader } from './archive/domain-file.ts';
import { refused } from './find-domain.ts';

/** Checks that an export can be read into this database. Throws E900. */
export async function checkArrival(
  db: Database,
  { domain, migration, since }: DomainFileHeader,
): Promise<void> {
  const { last = '' } = await appliedMigrations(db);
  if (migration !== last)
    throw refused(
      `the export is of another version of Trivium (its last migration is ${migration}, here it is ${last}): both need the same`,
    );
  if (since !== null) {
    const found = await db.prisma.domain.findUnique({ where: { id: domain.id } });
    if (found?.name !== domain.name || found.state !== 'ARRIVING' || found.arrival !== since)
      throw refused(
        `the file has what changed since the export ${since}: import that one first, with --hold`,
      );
    return;
  }
  const there = await db.prisma.domain.findMany({
    where: { OR: [{ id: domain.id }, { name: domain.name }] },
  });
  if (there.some(({ name }) => name === domain.name))
    throw refused(`the domain "${domain.name}" is here already`);
  if (there.length > 0)
    throw refused(
      `another domain has the id ${domain.id} here: both databases gave their keys without CELL (docs/scaling.md)`,
    );
}

/**
 * Checks that every row came to the domain, and, with the numbers of rows that `came` of each table, none to another one.
 * Throws DamagedDomainFileError.
 */
export async function checkCounts(
  tx: Pick<Database, 'rows'>,
  domainId: number,
  {
    came,
    counts,
  }: {
    came: ReadonlyMap<string, number> | undefined;
    counts: Readonly<Record<string, number>>;
  },
): Promise<void> {
  for (const table of copiedTables) {
    const [expected, found] = [counts[table.name], await countRows(tx, table, { domainId })];
    if (expected !== found || (came && (came.get(table.name) ?? 0) !== expected))
      throw new DamagedDomainFileError(
        `${came?.get(table.name) ?? found} rows of ${table.name} came, and ${expected ?? 'none'} were to`,
      );
  }
}
