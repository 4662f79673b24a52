import type { Cell } from '../../core/wire/wire.ts';
import { epochMillis } from '../../core/time.ts';

/** What may be told of an API key. */
export interface ApiKey {
  id: string;
  customerId: string;
  /** `ttk_` and the eight characters that name the key. */
  prefix: string;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
}

/** Over `k` (api_key); for apiKeyFromCells. */
export const API_KEY_COLUMNS =
  'k.id, k.customer_id, k.prefix, k.created_at, k.expires_at, k.revoked_at, k.last_used_at';

export function apiKeyFromCells([
  id,
  customerId,
  prefix,
  createdAt,
  expiresAt,
  revokedAt,
  lastUsedAt,
]: readonly Cell[]): ApiKey {
  return {
    id: id ?? '',
    customerId: customerId ?? '',
    prefix: `ttk_${prefix ?? ''}`,
    createdAt: new Date(epochMillis(createdAt ?? '')),
    expiresAt: optionalDate(expiresAt),
    revokedAt: optionalDate(revokedAt),
    lastUsedAt: optionalDate(lastUsedAt),
  };
}

function optionalDate(cell: Cell | undefined): Date | null {
  return cell == null ? null : new Date(epochMillis(cell));
}
