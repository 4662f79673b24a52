import type { Database } from '../core/database/db.ts';
import type { DomainTable } from '../core/database/copy/domain-tables.ts';
import type { Cell } from '../core/wire/wire.ts';
import { signingSeed } from '../dataset-management/export/archive/load-signing-key.ts';

/**
 * Fills in the private keys that sign the archives of workspaces: they are derived from the secret of this installation,
 * which the next one does not have. Rows of other tables are left as they are.
 */
export async function signingSeeds(
  tx: Pick<Database, 'prisma'>,
  { name }: DomainTable,
  columns: readonly string[],
): Promise<(row: readonly Cell[]) => readonly Cell[]> {
  if (name !== 'workspace') return (row) => row;
  const { secret } = await tx.prisma.installationSecret.findFirstOrThrow();
  const [idAt, seedAt] = [columns.indexOf('id'), columns.indexOf('signing_seed')];
  return (row) =>
    row.map((cell, at) =>
      at === seedAt && cell === null
        ? `\\x${signingSeed(secret, row[idAt] ?? '').toString('hex')}`
        : cell,
    );
}
