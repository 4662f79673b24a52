import type { SignedInContext } from '../../core/context/context.ts';
import { AppError, ConflictError, ForbiddenError, NotFoundError } from '../../core/errors.ts';
import type { FeedStatus } from '../terms/feed-status.ts';
import type { FeedRow } from './fields/feed-row.ts';
import { forgetFeeds, loadFeed } from './load-feeds.ts';

/**
 * For each stored status, those that a client may set next (D-51). Only the system sets E. O counts as the open status
 * from which it is computed.
 */
const transitions: Record<FeedStatus, readonly FeedStatus[]> = {
  N: ['R', 'F'],
  R: ['P', 'F'],
  P: ['C', 'F'],
  O: ['R', 'P', 'C', 'F'],
  C: [],
  F: [],
  E: [],
};
const final: readonly FeedStatus[] = ['C', 'F', 'E'];

/** The state machine has no such transition (D-51). GraphQL type InvalidTransitionError. */
export class InvalidTransitionError extends AppError {
  override name = 'InvalidTransitionError';
  readonly from: FeedStatus;
  readonly to: FeedStatus;

  constructor(from: FeedStatus, to: FeedStatus) {
    super('E900', {
      message: `A feed can't go from ${from} to ${to}`,
      graphqlCode: 'INVALID_TRANSITION',
    });
    this.from = from;
    this.to = to;
  }
}

/**
 * Moves a feed to another status (D-51): N→R→P→C, any open one→F; C, F and E may be reopened (→ P) with the permission
 * REOPEN_FEED. Setting the current status changes nothing. GraphQL `changeFeedStatus`. Throws NotFoundError,
 * ConflictError when `expectedVersion` is not the feed's, InvalidTransitionError, ForbiddenError.
 */
export async function changeFeedStatus(
  ctx: SignedInContext,
  args: { feedKey: number; status: FeedStatus; expectedVersion?: number | null | undefined },
): Promise<FeedRow> {
  const { viewer } = ctx;
  if (!(await loadFeed(ctx, args.feedKey))) throw new NotFoundError('Feed');
  await ctx.db.transaction(async (client) => {
    const { rows } = await client.query<{ status: FeedStatus; version: number }>(
      'SELECT status, version FROM feed WHERE feed_key = $1 AND deleted_at IS NULL FOR UPDATE',
      [args.feedKey],
    );
    const feed = rows[0];
    if (!feed) throw new NotFoundError('Feed');
    if (args.expectedVersion != null && args.expectedVersion !== feed.version)
      throw new ConflictError(feed.version);
    if (feed.status === args.status) return;
    const reopens = final.includes(feed.status) && args.status === 'P';
    if (reopens && !viewer.permissions.has('REOPEN_FEED'))
      throw new ForbiddenError('Reopening needs the permission REOPEN_FEED');
    if (!reopens && !transitions[feed.status].includes(args.status))
      throw new InvalidTransitionError(feed.status, args.status);
    const now = new Date(ctx.clock());
    await client.query(
      'UPDATE feed SET status = $2, version = version + 1, last_updated_at = $3, last_action_at = $3, has_history = true WHERE feed_key = $1',
      [args.feedKey, args.status, now],
    );
    await client.query(
      `INSERT INTO feed_user_state AS s (user_id, feed_key, action_taken, updated_at) VALUES ($1, $2, true, $3)
       ON CONFLICT (user_id, feed_key) DO UPDATE SET action_taken = true, updated_at = excluded.updated_at WHERE NOT s.action_taken`,
      [viewer.userId, args.feedKey, now],
    );
  });
  forgetFeeds(ctx);
  const feed = await loadFeed(ctx, args.feedKey);
  if (!feed) throw new NotFoundError('Feed');
  return feed;
}
