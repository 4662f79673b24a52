import DataLoader from 'dataloader';
import { perRequest, type SignedInContext } from '../../core/context/context.ts';
import { uncached } from '../../core/lists/load-by-id.ts';
import {
  audienceOf,
  audiences,
  visibleListings,
  type Audience,
} from './selection/feed-visibility.sql.ts';

/** Why a viewer sees a feed (D-30): whose list has it; `home` if it is confidential and so only for its department. */
export type VisibilityReason = Audience | 'home';

const loader = perRequest(
  (ctx: SignedInContext) =>
    new DataLoader<number, VisibilityReason[]>((keys) => readReasons(ctx, keys), uncached),
);

/** Each reason for which the viewer sees a feed, in a fixed order; none if they do not. GraphQL `Feed.visibility`. */
export function loadVisibility(ctx: SignedInContext, feedKey: number): Promise<VisibilityReason[]> {
  return loader(ctx).load(feedKey);
}

async function readReasons(
  { db, viewer }: SignedInContext,
  keys: readonly number[],
): Promise<VisibilityReason[][]> {
  const found = new Map(keys.map((key) => [key, new Set<VisibilityReason>()]));
  for (const row of await visibleListings.rows(db, { keys, viewer })) {
    const reasons = found.get(row.feedKey);
    reasons?.add(audienceOf(row));
    if (row.confidential) reasons?.add('home');
  }
  return keys.map((key) =>
    ([...audiences, 'home'] as const).filter((reason) => found.get(key)?.has(reason)),
  );
}
