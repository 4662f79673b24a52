import { z } from 'zod';
import { hashToken, makeToken } from '../../../auth/tokens.ts';
import type { SignedInContext } from '../../../core/context/context.ts';
import { withIdempotency } from '../../../core/context/with-idempotency.ts';
import { ValidationError } from '../../../core/errors.ts';
import { isTimeZone } from '../../../core/time.ts';
import { criteriaOf, feedCriteria } from '../../feeds/selection/feed-criteria.ts';
import type { FeedFilter } from '../../feeds/selection/feed-filter.ts';

/** Live subscriptions that a user may have. */
const MAX_SUBSCRIPTIONS = 50;

/**
 * Makes a secret address under which a calendar program reads the feeds of a filter. The token is shown once, so not in a replay; its hash is kept. GraphQL
 * `createCalendarSubscription`. Throws ValidationError for a zone that is none, a filter that is too large, or more than 50 subscriptions; IdempotencyError.
 */
export async function createCalendarSubscription(
  ctx: SignedInContext,
  args: {
    filter?: FeedFilter | null | undefined;
    timeZone?: string | null | undefined;
    idempotencyKey?: string | null | undefined;
  },
): Promise<{ token: string | null; subscriptionId: string }> {
  const { viewer } = ctx;
  const timeZone = args.timeZone ?? viewer.timeZone;
  if (!isTimeZone(timeZone))
    throw new ValidationError([
      {
        path: ['input', 'timeZone'],
        message: 'is not an IANA time zone',
        code: 'INVALID_TIME_ZONE',
      },
    ]);
  const filter = criteriaOf(args.filter ?? {});
  const checked = feedCriteria.safeParse(filter);
  if (checked.error)
    throw new ValidationError(
      checked.error.issues.map((issue) => ({
        path: ['input', 'filter', ...issue.path.map(String)],
        message: issue.message,
        code: 'INVALID_FILTER',
      })),
    );
  const token = makeToken();
  const write = {
    scope: `user:${viewer.userId}`,
    operation: 'createCalendarSubscription',
    key: args.idempotencyKey,
    request: { filter, timeZone },
    answer: z.uuid(),
  };
  const { answer: subscriptionId, replayed } = await withIdempotency(ctx, write, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `INSERT INTO calendar_subscription (id, user_id, token_hash, filter, time_zone, created_at)
       SELECT gen_random_uuid(), $1, $2, $3::jsonb, $4, $5 WHERE (SELECT count(*) FROM calendar_subscription WHERE user_id = $1 AND revoked_at IS NULL) < ${MAX_SUBSCRIPTIONS} RETURNING id`,
      [
        viewer.userId,
        Buffer.from(hashToken(token)),
        JSON.stringify(filter),
        timeZone,
        new Date(ctx.clock()),
      ],
    );
    if (!rows[0])
      throw new ValidationError([
        {
          path: ['input'],
          message: `at most ${MAX_SUBSCRIPTIONS} subscriptions: revoke one first`,
          code: 'TOO_MANY',
        },
      ]);
    return rows[0].id;
  });
  return { token: replayed ? null : token, subscriptionId };
}
