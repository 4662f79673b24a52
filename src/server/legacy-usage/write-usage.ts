import type { Services } from '../../core/context/context.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import { waitForLock } from '../../core/sql/writes.sql.ts';
import { addUsage, clientsOf } from './legacy-usage.sql.ts';
import { OTHER } from './usage-names.ts';

/** The number of uses of one name on one day. */
export interface UsageRow {
  domainId: number | null;
  /** UTC, yyyy-mm-dd. */
  day: string;
  method: string;
  path: string;
  client: string;
  /** Empty: the path itself. */
  parameter: string;
  hits: number;
  /** Epoch milliseconds. */
  lastSeen: number;
}

/** An arbitrary constant. Only one gateway writes at a time, because the clients of a domain are counted first. */
const WRITE_LOCK = 4_711_003;

/**
 * Adds counts to the table, in one statement. A domain has at most `maxClients` client names, whatever is sent; the
 * others are counted together.
 */
export async function writeUsage(
  db: Services['db'],
  rows: readonly UsageRow[],
  maxClients: number,
): Promise<void> {
  await inTransaction({ db }, async (tx) => {
    await waitForLock.rows(tx.db, { lock: WRITE_LOCK });
    const domainIds = [...new Set(rows.map(({ domainId }) => domainId ?? 0))];
    const stored = await clientsOf.rows(tx.db, { domainIds });
    const names = new Map<number | null, Set<string>>();
    const namesOf = (domainId: number | null): Set<string> =>
      names.get(domainId) ?? names.set(domainId, new Set()).get(domainId) ?? new Set();
    for (const row of stored) namesOf(row.domainId).add(row.client);
    const admitted = rows.map((row) => {
      const known = namesOf(row.domainId);
      if (!known.has(row.client) && known.size >= maxClients) return { ...row, client: OTHER };
      known.add(row.client);
      return row;
    });
    const counts = admitted.map(({ domainId, lastSeen, ...row }) => ({
      ...row,
      domain_id: domainId,
      last_seen: new Date(lastSeen),
    }));
    await addUsage.rows(tx.db, { counts: JSON.stringify(counts) });
  });
}
