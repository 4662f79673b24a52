import type { ClientBase } from 'pg';

/** Data about a stored feed that an import needs. */
export interface KnownFeed {
  domainId: number;
  unitZone: string | null;
  deleted: boolean;
  parentFeedKey: number | null;
}

/** Reads the feeds with these keys and locks them until the import ends. */
export async function lockFeeds(
  client: ClientBase,
  keys: readonly number[],
): Promise<Map<number, KnownFeed>> {
  const { rows } = await client.query<{
    feed_key: string;
    domain_id: number;
    time_zone: string | null;
    deleted: boolean;
    parent_feed_key: string | null;
  }>(
    `SELECT f.feed_key, f.domain_id, u.time_zone, f.deleted_at IS NOT NULL AS deleted, f.parent_feed_key
     FROM feed f LEFT JOIN unit u ON u.id = f.unit_id WHERE f.feed_key = ANY ($1) ORDER BY f.feed_key FOR UPDATE OF f`,
    [keys],
  );
  return new Map(
    rows.map((row) => [
      Number(row.feed_key),
      {
        domainId: row.domain_id,
        unitZone: row.time_zone,
        deleted: row.deleted,
        parentFeedKey: row.parent_feed_key === null ? null : Number(row.parent_feed_key),
      },
    ]),
  );
}
