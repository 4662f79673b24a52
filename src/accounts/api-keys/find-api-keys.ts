import type { Services } from '../../core/context/context.ts';
import { isStorable } from '../../core/text.ts';
import { isUuid } from '../../core/uuid.ts';
import { apiKeyColumns, toApiKey, type ApiKey } from './api-key.ts';

/**
 * API keys, at most 1,000: each customer's newest first, then those that were revoked. Checks no permissions: for operators
 * (`trivium api-key list`), and for listApiKeys, which has checked them.
 */
export async function findApiKeys(
  services: Pick<Services, 'db'>,
  args: {
    domainId?: number | undefined;
    customerId?: string | undefined;
    /** Id, or `ttk_` and the prefix. */
    key?: string;
    ids?: readonly string[];
  },
): Promise<ApiKey[]> {
  const { domainId, customerId, key, ids } = args;
  const isPrefix = key?.startsWith('ttk_');
  if (key !== undefined && !(isPrefix ? isStorable(key) : isUuid(key))) return [];
  const named = key === undefined ? {} : isPrefix ? { prefix: key.slice(4) } : { id: key };
  const rows = await services.db.prisma.apiKey.findMany({
    where: {
      ...(domainId !== undefined && { customer: { domainId } }),
      ...(customerId !== undefined && { customerId }),
      ...named,
      ...(ids && { id: { in: [...ids] } }),
    },
    select: apiKeyColumns,
    orderBy: [
      { revokedAt: { sort: 'desc', nulls: 'first' } },
      { customerId: 'asc' },
      { createdAt: 'desc' },
      { id: 'asc' },
    ],
    take: 1000,
  });
  return rows.map(toApiKey);
}
