import type { SignedInContext } from '../../core/context/context.ts';
import { ValidationError } from '../../core/errors.ts';
import { TypedParams } from '../../core/sql/statement.ts';
import { bool, instantText, int4, int8s } from '../../core/sql/types.ts';
import { visibleFeedSql } from './selection/feed-visibility.ts';
import { forgetFeeds } from './load-feeds.ts';

/** The flags of a user on a feed that the user may set; undefined leaves a flag unchanged. */
export interface FeedStateChange {
  pinned?: boolean | undefined;
  favorite?: boolean | undefined;
  follow?: boolean | undefined;
  acknowledged?: boolean | undefined;
  watched?: boolean | undefined;
  promotedToNote?: boolean | undefined;
}

const columns = [
  ['pinned', 'pinned'],
  ['favorite', 'favorite'],
  ['follow', 'follow'],
  ['acknowledged', 'acknowledged'],
  ['watched', 'watched'],
  ['promotedToNote', 'promoted_to_note'],
] as const;

/** Most feeds in one call. */
const MAX_FEEDS = 100;

/**
 * Sets flags of the viewer on feeds; repeating a call changes nothing (D-53). Returns the keys of the feeds that the
 * viewer sees, on which flags were set; the others are "not found". GraphQL `setFeedState`. Throws ValidationError for
 * more than 100 feeds or none.
 */
export async function setFeedState(
  ctx: SignedInContext,
  args: { feedKeys: readonly number[]; change: FeedStateChange },
): Promise<ReadonlySet<number>> {
  const { viewer } = ctx;
  if (args.feedKeys.length < 1 || args.feedKeys.length > MAX_FEEDS) {
    throw new ValidationError([
      {
        path: ['input', 'feedIds'],
        message: `must name 1 to ${MAX_FEEDS} feeds`,
        code: 'OUT_OF_RANGE',
      },
    ]);
  }
  const params = new TypedParams();
  const keys = params.add(
    int8s,
    [...new Set(args.feedKeys)].filter((key) => Number.isSafeInteger(key)),
  );
  const user = params.add(int4, viewer.userId);
  const now = params.add(instantText, new Date(ctx.clock()).toISOString());
  const changes = columns.flatMap(([name, column]) =>
    args.change[name] === undefined ? [] : [{ column, value: params.add(bool, args.change[name]) }],
  );
  const visible = `SELECT f.feed_key FROM feed f WHERE f.feed_key = ANY (${keys}::bigint[]) AND ${visibleFeedSql('f.feed_key', viewer, params)}`;
  const names = changes.map(({ column }) => column).join(', ');
  const sql =
    changes.length === 0
      ? `${visible} AND ${user}::int IS NOT NULL AND ${now}::text IS NOT NULL`
      : `WITH visible AS MATERIALIZED (${visible}), written AS (
          INSERT INTO feed_user_state AS s (user_id, feed_key, updated_at, ${names})
          SELECT ${user}::int, feed_key, ${now}::timestamptz, ${changes.map(({ value }) => `${value}::boolean`).join(', ')} FROM visible ORDER BY feed_key
          ON CONFLICT (user_id, feed_key) DO UPDATE SET updated_at = excluded.updated_at, ${changes.map(({ column }) => `${column} = excluded.${column}`).join(', ')}
          WHERE (${changes.map(({ column }) => `s.${column}`).join(', ')}) IS DISTINCT FROM (${changes.map(({ column }) => `excluded.${column}`).join(', ')})
        ) SELECT feed_key FROM visible`;
  const rows = await ctx.db.rows(sql, params.values);
  forgetFeeds(ctx);
  return new Set(rows.map(([key]) => Number(key)));
}
