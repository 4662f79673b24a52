import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Services } from '../core/context/context.ts';
import type { Customer } from '../core/context/customer.ts';
import { isStorable } from '../core/text.ts';
import { apiKeyPrefix } from './api-keys.ts';
import { liveApiKeys } from './identify.sql.ts';
import { noteUse } from './prolong-session.ts';
import { isOpen } from './to-viewer.ts';
import { hashToken } from './tokens.ts';

/**
 * The customer of the headers `API-Key` and `customerId`; null when one is missing, unknown, expired or revoked, or
 * when they don't belong together (D-73).
 */
export async function identifyCustomer(
  services: Services,
  headers: IncomingHttpHeaders,
): Promise<Customer | null> {
  const key = headers['api-key'];
  const customerId = headers['customerid'];
  if (typeof key !== 'string' || typeof customerId !== 'string' || !isStorable(customerId))
    return null;
  const prefix = apiKeyPrefix(key);
  if (prefix === undefined) return null;
  const now = services.clock();
  const hash = hashToken(key);
  const found = await liveApiKeys.rows(services.db, { prefix, customerId, now: new Date(now) });
  const match = found.find(({ keyHash }) => timingSafeEqual(hash, keyHash));
  if (!match) return null;
  const { keyId, lastUsedAt, domainId } = match;
  const open = isOpen(match.domainState);
  noteUse(services, { id: keyId, lastUsedAt }, (used) =>
    services.db.prisma.apiKey.updateMany(used),
  );
  return { keyId, customerId: match.customerId, domainId, isOpen: open };
}
