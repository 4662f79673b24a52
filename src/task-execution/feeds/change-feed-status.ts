import type { SignedInContext } from '../../core/context/context.ts';
import { AppError, ForbiddenError } from '../../core/errors.ts';
import { nameOfStatus, type FeedStatus } from '../terms/feed-status.ts';
import { changeFeed } from './change-feed.ts';
import type { FeedRow } from './fields/feed-row.ts';

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
      message: `A feed can't go from ${nameOfStatus(from)} to ${nameOfStatus(to)}`,
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
  const { status } = args;
  return changeFeed(ctx, { ...args, changesStatus: true }, (feed) => {
    if (feed.status === status) return undefined;
    const reopens = final.includes(feed.status) && status === 'P';
    if (reopens && !viewer.permissions.has('REOPEN_FEED'))
      throw new ForbiddenError('Reopening needs the permission REOPEN_FEED');
    if (!reopens && !transitions[feed.status].includes(status))
      throw new InvalidTransitionError(feed.status, status);
    const reopened = reopens && { reopened_at: new Date(ctx.clock()) };
    return { change: { status, has_history: true, ...reopened }, takesAction: true };
  });
}
