import type { Services } from '../../../core/context/context.ts';
import { isStorable } from '../../../core/text.ts';
import { isUuid } from '../../../core/uuid.ts';
import { scimTokenColumns, toScimToken, type ScimToken } from './scim-token.ts';

/**
 * SCIM tokens, at most 1,000: each domain's newest first, then those that were revoked. Checks no permissions: for operators
 * (`trivium scim-token list`), and for listScimTokens, which has checked them.
 */
export async function findScimTokens(
  services: Pick<Services, 'db'>,
  args: {
    domainId?: number | undefined;
    /** Id, or `tsc_` and the prefix. */
    token?: string;
    ids?: readonly string[];
  },
): Promise<ScimToken[]> {
  const { domainId, token, ids } = args;
  const isPrefix = token?.startsWith('tsc_');
  if (token !== undefined && !(isPrefix ? isStorable(token) : isUuid(token))) return [];
  const named = token === undefined ? {} : isPrefix ? { prefix: token.slice(4) } : { id: token };
  const rows = await services.db.prisma.scimToken.findMany({
    where: {
      ...(domainId !== undefined && { domainId }),
      ...named,
      ...(ids && { id: { in: [...ids] } }),
    },
    select: scimTokenColumns,
    orderBy: [
      { revokedAt: { sort: 'desc', nulls: 'first' } },
      { domainId: 'asc' },
      { createdAt: 'desc' },
      { id: 'asc' },
    ],
    take: 1000,
  });
  return rows.map(toScimToken);
}
