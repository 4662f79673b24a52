import type { ImportRun } from '../../../core/records/record-kind.ts';
import type { ResolvedFeed } from './resolve-feed.ts';
import { refuseParentCycles } from './refuse-parent-cycles.ts';
import { upsertFeeds } from './upsert-feeds.ts';
import {
  replaceAssignments,
  replaceAttributes,
  replaceTags,
  setUserStates,
} from './write-feed-parts.ts';

/** Writes a batch, one statement per table, and updates the lists for the changed feeds. */
export async function writeFeeds(run: ImportRun, feeds: readonly ResolvedFeed[]): Promise<void> {
  if (feeds.length === 0) return;
  const { client } = run;
  const at = new Date(run.now);
  const stored = new Set(await upsertFeeds(client, feeds, at));
  await refuseParentCycles(run, feeds);
  const parts = new Set([
    ...(await replaceAssignments(client, feeds)),
    ...(await replaceTags(client, feeds)),
    ...(await replaceAttributes(client, feeds)),
  ]);
  // A feed with new tags has changed although its row has not.
  const touched = [...parts].filter((key) => !stored.has(key));
  if (touched.length > 0)
    await client.query(
      'UPDATE feed SET version = version + 1, last_updated_at = $2 WHERE feed_key = ANY ($1)',
      [touched, at],
    );
  const states = await setUserStates(client, feeds, at);
  const changed = [...new Set([...stored, ...parts, ...states])];
  if (changed.length > 0) await client.query('SELECT feed_listing_refresh($1)', [changed]);
}
