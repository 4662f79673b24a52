import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Services } from '../core/context/context.ts';
import type { Customer } from '../core/context/customer.ts';
import { isStorable } from '../core/text.ts';
import { epochMillis } from '../core/time.ts';
import { apiKeyPrefix } from './api-keys.ts';
import { hashToken } from './tokens.ts';

const SEEN_GRAIN = 60_000;

const IDENTIFY = `SELECT k.id, encode(k.key_hash, 'hex'), k.last_used_at, c.customer_id, c.domain_id
  FROM api_key k JOIN api_customer c ON c.customer_id = k.customer_id
  WHERE k.prefix = $1 AND c.customer_id = $2 AND k.revoked_at IS NULL AND coalesce(k.expires_at > $3, true) AND c.disabled_at IS NULL`;

/** The customer of the headers `API-Key` and `customerId`, or null when either is missing, unknown, expired, revoked or not the other's (D-73). */
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
  for (const [keyId, keyHash, lastUsed, customer, domainId] of await services.db.rows(IDENTIFY, [
    prefix,
    customerId,
    new Date(now).toISOString(),
  ])) {
    if (!timingSafeEqual(hash, Buffer.from(keyHash ?? '', 'hex'))) continue;
    if (lastUsed == null || now - epochMillis(lastUsed) > SEEN_GRAIN)
      noteUse(services, keyId ?? '', now);
    return { keyId: keyId ?? '', customerId: customer ?? '', domainId: Number(domainId) };
  }
  return null;
}

/** Not awaited: an answer does not wait for it. */
function noteUse(services: Services, keyId: string, now: number): void {
  services.db
    .rows('UPDATE api_key SET last_used_at = $2 WHERE id = $1', [
      keyId,
      new Date(now).toISOString(),
    ])
    .catch((error: unknown) => services.log.warn({ err: error }, 'use of an API key not noted'));
}
