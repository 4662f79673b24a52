import type { Database } from '../core/database/db.ts';
import type { Services } from '../core/context/context.ts';
import { copiedTables } from '../core/database/copy/domain-tables.ts';
import { inSnapshot, readRows } from '../core/database/copy/read-rows.ts';
import { limitParallel } from '../core/turns/limit.ts';
import { refused } from './find-domain.ts';

/** Files that an import asks for, and at a time: while it does, writes of the domain wait. */
const ASKED = 500;
const PARALLEL = 16;

/** The keys of all files in the storage that rows of a domain name now. */
export async function listFiles(
  db: Pick<Database, 'transaction'>,
  domainId: number,
): Promise<string[]> {
  return inSnapshot(db, async (tx) => {
    const keys: string[] = [];
    for await (const some of filesOf(tx, domainId)) keys.push(...some);
    return keys;
  });
}

/**
 * Refuses a storage that has nothing of what the export before brought: another command has put that elsewhere. Asks for
 * some of the files that rows of the domain name; a file that was lost before is no reason. Throws E900.
 */
export async function requireFiles(
  { storage, db }: Pick<Services, 'storage'> & { db: Pick<Database, 'rows'> },
  { domainId, except }: { domainId: number; except: ReadonlySet<string> },
): Promise<void> {
  const asked: string[] = [];
  for await (const some of filesOf(db, domainId)) {
    asked.push(...some.filter((key) => !except.has(key)));
    if (asked.length >= ASKED) break;
  }
  const inTurn = limitParallel(PARALLEL);
  const found = await Promise.all(
    asked.slice(0, ASKED).map((key) => inTurn(() => storage.stat(key))),
  );
  if (found.length > 0 && found.every((file) => file === undefined))
    throw refused(
      'the storage has no file of the export before: import both with the same STORAGE and DATA_DIR, those of the gateways',
    );
}

/** The keys of the files that rows of a domain name, some at a time. */
async function* filesOf(tx: Pick<Database, 'rows'>, domainId: number): AsyncGenerator<string[]> {
  for (const table of copiedTables) {
    if (table.file === undefined) continue;
    for await (const rows of readRows(tx, table, [table.file], { domainId }))
      yield rows.flatMap(([key]) => key ?? []);
  }
}
