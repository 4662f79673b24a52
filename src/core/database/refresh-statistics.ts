import type { Database } from './db.ts';

/** A table is analysed again when more than 50 rows and a tenth of it have changed, like PostgreSQL's autovacuum. */
const CHANGED = 'pg_stat_get_mod_since_analyze(c.oid) > 50 + 0.1 * greatest(c.reltuples, 0)';
/** Changes are counted in memory, which is lost in a crash; then the size of the table decides. */
const NEVER_SEEN = 'c.reltuples < 0 AND pg_relation_size(c.oid) > 0';
const GROWN = 'pg_relation_size(c.oid) / 8192 > 8 + 1.5 * c.relpages';

/** Tables whose statistics are outdated, the most outdated first. */
const OUTDATED = `SELECT c.oid::regclass::text FROM pg_class c
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND (${CHANGED} OR ${NEVER_SEEN} OR ${GROWN})
  ORDER BY pg_stat_get_mod_since_analyze(c.oid) DESC, c.oid`;

/** Tables with rows that were never analysed, as after pg_restore, which brings no statistics. */
const NEVER_ANALYSED = `SELECT c.oid::regclass::text FROM pg_class c
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND pg_relation_size(c.oid) > 0
    AND coalesce(pg_stat_get_last_analyze_time(c.oid), pg_stat_get_last_autoanalyze_time(c.oid)) IS NULL
    AND NOT EXISTS (SELECT FROM pg_stats s WHERE s.schemaname = 'public' AND s.tablename = c.relname)
  ORDER BY c.oid`;

/**
 * Gives the planner statistics of tables that have none, and returns their names. For a server, whose autovacuum does it
 * for a restored database after a minute, or never where it is switched off: until then, a list within a list takes seconds.
 */
export async function makeStatistics(db: Database): Promise<string[]> {
  if (db.embedded) return [];
  const analysed: string[] = [];
  for (const [table] of await db.rows(NEVER_ANALYSED, [])) {
    // The rows of an import that goes on are not seen yet: the table would count as empty, and the import read all of
    // it again and again.
    if ((await db.rows(`SELECT 1 FROM ${table} LIMIT 1`, [])).length === 0) continue;
    await db.rows(`ANALYZE ${table}`, []);
    analysed.push(String(table));
  }
  return analysed;
}

/**
 * Refreshes the planner's statistics of tables that changed much, and returns their names. Each table is a statement of
 * its own, so that requests are served in between. For the embedded database, which has no autovacuum: without
 * statistics, a list within a list takes seconds.
 */
export async function refreshStatistics(db: Database): Promise<string[]> {
  // By itself, a session reports its changes to the counters at most once a second.
  await db.rows('SELECT pg_stat_force_next_flush()', []);
  const tables = (await db.rows(OUTDATED, [])).flatMap(([table]) => table ?? []);
  for (const table of tables) await db.rows(`ANALYZE ${table}`, []);
  return tables;
}
