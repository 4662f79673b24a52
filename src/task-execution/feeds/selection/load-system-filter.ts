import type { SignedInContext } from '../../../core/context/context.ts';
import { isStorable } from '../../../core/text.ts';

/** A stored, named filter (D-35). */
export interface SystemFilter {
  name: string;
  /** M, W, D or P. */
  layout: string;
  calendarType: string;
  /** A FeedFilter with GraphQL names. */
  criteria: unknown;
  /** A list of FeedOrder. */
  sort: unknown;
}

/** The system filter with this id in the viewer's domain, or null. */
export async function loadSystemFilter(
  ctx: SignedInContext,
  filterId: string,
): Promise<SystemFilter | null> {
  const { domainId } = ctx.viewer;
  if (!isStorable(filterId)) return null;
  return ctx.db.prisma.systemFilter.findUnique({
    where: { domainId_filterId: { domainId, filterId } },
  });
}
