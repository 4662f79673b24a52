import type { Services } from '../../core/context/context.ts';
import { OTHER } from './usage-names.ts';

/** So many uses of one name on one day. */
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

/** Any constant: one gateway writes at a time, for the clients of a domain are counted first. */
const WRITE_LOCK = 4_711_003;

/** Adds counts to the table, in one statement. A domain has at most `maxClients` names of clients in it, whatever is sent; the rest are counted together. */
export async function writeUsage(
  db: Services['db'],
  rows: readonly UsageRow[],
  maxClients: number,
): Promise<void> {
  await db.transaction(async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [WRITE_LOCK]);
    const stored = await client.query<{ domain_id: number | null; client: string }>(
      'SELECT DISTINCT domain_id, client FROM legacy_usage WHERE coalesce(domain_id, 0) = ANY ($1::int[])',
      [[...new Set(rows.map(({ domainId }) => domainId ?? 0))]],
    );
    const names = new Map<number | null, Set<string>>();
    const namesOf = (domainId: number | null): Set<string> =>
      names.get(domainId) ?? names.set(domainId, new Set()).get(domainId) ?? new Set();
    for (const row of stored.rows) namesOf(row.domain_id).add(row.client);
    const admitted = rows.map((row) => {
      const known = namesOf(row.domainId);
      if (!known.has(row.client) && known.size >= maxClients) return { ...row, client: OTHER };
      known.add(row.client);
      return row;
    });
    await client.query(WRITE, [
      admitted.map((row) => row.domainId),
      admitted.map((row) => row.day),
      admitted.map((row) => row.method),
      admitted.map((row) => row.path),
      admitted.map((row) => row.client),
      admitted.map((row) => row.parameter),
      admitted.map((row) => row.hits),
      admitted.map((row) => new Date(row.lastSeen).toISOString()),
    ]);
  });
}

/** A domain that has gone meanwhile is left out. */
const WRITE = `
  INSERT INTO legacy_usage (domain_id, day, method, path, client, parameter, hits, last_seen)
  SELECT u.domain_id, u.day, u.method, u.path, u.client, u.parameter, sum(u.hits), max(u.last_seen)
  FROM unnest($1::int[], $2::date[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::timestamptz[])
    AS u(domain_id, day, method, path, client, parameter, hits, last_seen)
  WHERE u.domain_id IS NULL OR EXISTS (SELECT FROM domain d WHERE d.id = u.domain_id)
  GROUP BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (coalesce(domain_id, 0), day, path, method, client, parameter)
  DO UPDATE SET hits = legacy_usage.hits + excluded.hits, last_seen = greatest(legacy_usage.last_seen, excluded.last_seen)`;
