import type { SignedInContext } from '../../../core/context/context.ts';
import { isStorable } from '../../../core/text.ts';
import { countOfTypes, FEW, type FeedFilter, type Weight } from './feed-filter.sql.ts';

/** A filter with what PostgreSQL, which plans without the values, can not know. */
export async function weighFilter<Filter extends Pick<FeedFilter, 'messageTypes'>>(
  { viewer: { domainId }, reads }: SignedInContext,
  filter: Filter,
): Promise<Filter & Weight> {
  const { messageTypes } = filter;
  if (!messageTypes?.length) return filter;
  const types = messageTypes.filter(isStorable);
  const found = await countOfTypes.first(reads, { domainId, types });
  return { ...filter, fewTypes: (found?.count ?? 0) <= FEW };
}
