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

/** Client names that a gateway has written, by domain. */
export type WrittenClients = Map<number | null, Set<string>>;

/**
 * Adds counts to the table, in one statement. A domain has at most `maxClients` client names, whatever is sent; the
 * others are counted together. Which are stored is only asked for names that are not among those written before, because
 * it takes time by the counts of 90 days.
 */
export async function writeUsage(
  db: Services['db'],
  rows: readonly UsageRow[],
  { maxClients, written }: { maxClients: number; written: WrittenClients },
): Promise<void> {
  const isWritten = ({ domainId, client }: UsageRow): boolean =>
    written.get(domainId)?.has(client) === true;
  const admitted = await inTransaction({ db }, async (tx) => {
    await waitForLock.rows(tx.db, { lock: WRITE_LOCK });
    const unknown = rows.filter((row) => !isWritten(row));
    const domainIds = [...new Set(unknown.map(({ domainId }) => domainId ?? 0))];
    const stored: WrittenClients = new Map();
    if (domainIds.length > 0)
      for (const row of await clientsOf.rows(tx.db, { domainIds })) addClient(stored, row);
    const kept = rows.map((row) => {
      const names = stored.get(row.domainId);
      const isNew = !isWritten(row) && names?.has(row.client) !== true;
      if (isNew && names && names.size >= maxClients) return { ...row, client: OTHER };
      addClient(stored, row);
      return row;
    });
    const counts = kept.map(({ domainId, lastSeen, ...row }) => ({
      ...row,
      domain_id: domainId,
      last_seen: new Date(lastSeen),
    }));
    await addUsage.rows(tx.db, { counts: JSON.stringify(counts) });
    return kept;
  });
  for (const row of admitted) addClient(written, row);
}

function addClient(
  clients: WrittenClients,
  { domainId, client }: Pick<UsageRow, 'domainId' | 'client'>,
): void {
  const names = clients.get(domainId);
  if (names) names.add(client);
  else clients.set(domainId, new Set([client]));
}
