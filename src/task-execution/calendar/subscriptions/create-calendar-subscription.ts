import { tellObject } from '../../../core/context/act.ts';
import * as z from 'zod';
import { holdViewer } from '../../../auth/identify.sql.ts';
import { hashToken, makeToken } from '../../../auth/tokens.ts';
import type { SignedInContext } from '../../../core/context/context.ts';
import { withIdempotency } from '../../../core/context/with-idempotency.ts';
import { AppError, ValidationError, invalidField } from '../../../core/errors.ts';
import { isTimeZone } from '../../../core/time/is-time-zone.ts';
import { feedCriteria, type FeedFilter } from '../../feeds/selection/feed-filter.sql.ts';

/** Most active subscriptions of a user. */
const MAX_SUBSCRIPTIONS = 50;

/**
 * Creates a secret URL from which a calendar program reads the feeds of a filter. The token is shown once, and not in a
 * replay; its hash is stored. GraphQL `createCalendarSubscription`. Throws ValidationError for an unknown zone, a
 * filter that is too large, or more than 50 subscriptions; IdempotencyError; E202
 * where the user was disabled meanwhile.
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
    throw invalidField('timeZone', 'is not an IANA time zone', 'INVALID_TIME_ZONE');
  const given = Object.entries(args.filter ?? {}).filter(([, value]) => value !== null);
  const checked = z.safeEncode(feedCriteria, Object.fromEntries(given));
  if (checked.error)
    throw new ValidationError(
      checked.error.issues.map((issue) => ({
        path: ['input', 'filter', ...issue.path.map(String)],
        message: issue.message,
        code: 'INVALID_FILTER',
      })),
    );
  const filter = checked.data;
  const token = makeToken();
  const write = {
    scope: `user:${viewer.userId}`,
    operation: 'createCalendarSubscription',
    key: args.idempotencyKey,
    request: { filter, timeZone },
    answer: z.uuid(),
  };
  const { answer: subscriptionId, replayed } = await withIdempotency(ctx, write, async (tx) => {
    const { calendarSubscription } = tx.db.prisma;
    const { userId } = viewer;
    // Else one that is made while its user is disabled would not be revoked with the others.
    if (!(await holdViewer.first(tx.db, { userId }))) throw new AppError('E202');
    const active = await calendarSubscription.count({ where: { userId, revokedAt: null } });
    if (active >= MAX_SUBSCRIPTIONS)
      throw new ValidationError([
        {
          path: ['input'],
          message: `at most ${MAX_SUBSCRIPTIONS} subscriptions: revoke one first`,
          code: 'TOO_MANY',
        },
      ]);
    const { id } = await calendarSubscription.create({
      data: {
        userId,
        tokenHash: hashToken(token),
        filter: z.json().parse(filter) ?? {},
        timeZone,
        createdAt: new Date(ctx.clock()),
      },
    });
    tellObject(ctx, 'CalendarSubscription', id);
    return id;
  });
  return { token: replayed ? null : token, subscriptionId };
}
