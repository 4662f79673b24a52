import type { Services } from '../core/context/context.ts';
import type { Database } from '../core/database/db.ts';
import { beginAgain } from '../core/failures/begin-again.ts';
import { limitParallel } from '../core/turns/limit.ts';
import { deleteDomainRow, deleteRows } from '../core/database/copy/delete-rows.ts';
import type { Signal } from '../core/signal.ts';
import { findDomain } from './find-domain.ts';
import { recordCommand } from './record-command.ts';
import { closeDomain } from './set-state.ts';

/** Files that are deleted at a time. */
const PARALLEL = 8;

/** What was deleted. */
export interface DomainDeletion {
  domain: string;
  rows: number;
  files: number;
  /** Files that the storage did not have; unknown, and none, where a deletion went on that had begun before. */
  missing: string[];
}

/**
 * Deletes a domain: all rows and all files. It is closed first, and deleted in steps, so that others need not wait; a
 * deletion that was stopped is gone on with.
 */
export async function deleteDomain(
  services: Pick<Services, 'db' | 'storage' | 'clock'>,
  {
    domain,
    signal,
    onProgress,
  }: { domain: string; signal: Signal; onProgress: (rows: number) => void },
): Promise<DomainDeletion> {
  const { db, storage, clock } = services;
  const found = await findDomain(db, domain);
  const { id, name, state } = found;
  await closeDomain(db, found, 'LEAVING');
  let [rows, files] = [0, 0];
  const missing: string[] = [];
  const inTurn = limitParallel(PARALLEL);
  // Others who delete take turns with it, but who loads records does not.
  const again: Pick<Database, 'transaction'> = {
    transaction: (work, last) => beginAgain(() => db.transaction(work, last)),
  };
  await deleteRows(again, id, {
    async deleteFiles(keys) {
      await Promise.all(
        keys.map((key) =>
          inTurn(async () => {
            if (await storage.stat(key)) files++;
            else if (state !== 'LEAVING') missing.push(key);
            await storage.delete(key);
          }),
        ),
      );
    },
    onRows(count) {
      signal.throwIfAborted();
      onProgress((rows += count));
    },
  });
  // Together: whoever is stopped here finds the domain, and goes on.
  await db.transaction(async (_, tx) => {
    await deleteDomainRow(tx, id);
    await recordCommand({ db: tx, clock }, 'deleteDomain', {
      domainId: null,
      target: `domain ${id}`,
    });
  });
  return { domain: name, rows: rows + 1, files, missing };
}
