import type { SignedInContext } from '../../../core/context/context.ts';
import { isStorable } from '../../../core/text.ts';
import type { SystemFilter } from '../../../generated/prisma/client.ts';

/** The system filter with this id in the viewer's domain, or null (D-35). */
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
