import type { ClientBase } from 'pg';
import type { ResolvedFeed } from './resolve-feed.ts';

/**
 * Remembers parents whose task counts have changed. Counting after every batch would read all tasks of a large project
 * again and again.
 */
export async function rememberParents(
  client: ClientBase,
  feeds: readonly ResolvedFeed[],
): Promise<void> {
  const parents = [...new Set(feeds.flatMap((feed) => feed.parents))];
  if (parents.length === 0) return;
  await client.query(
    'CREATE TEMP TABLE IF NOT EXISTS import_parent (feed_key bigint PRIMARY KEY) ON COMMIT DROP',
  );
  await client.query(
    'INSERT INTO import_parent SELECT unnest($1::bigint[]) ON CONFLICT DO NOTHING',
    [parents],
  );
}

/**
 * Counts the tasks below the remembered parents, folds the counters of lists, and sets the key sequence above the
 * imported keys.
 */
export async function finishFeeds(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ noted: boolean }>(
    `SELECT to_regclass('pg_temp.import_parent') IS NOT NULL AS noted`,
  );
  if (rows[0]?.noted)
    await client.query('SELECT feed_task_count_refresh(array_agg(feed_key)) FROM import_parent');
  await client.query('SELECT feed_count_fold(NULL)');
  await client.query(
    `SELECT setval(s.name::regclass, k.highest) FROM (SELECT pg_get_serial_sequence('feed', 'feed_key') AS name) s,
       (SELECT max(feed_key) AS highest FROM feed) k
     WHERE k.highest > coalesce(pg_sequence_last_value(s.name::regclass), 0)`,
  );
}
