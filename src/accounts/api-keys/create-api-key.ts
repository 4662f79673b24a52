import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { makeApiKey } from '../../auth/api-keys.ts';
import { hashToken } from '../../auth/tokens.ts';
import type { Services } from '../../core/context/context.ts';
import { NotFoundError, ValidationError } from '../../core/errors.ts';
import { writeAuditLog } from '../../core/context/write-audit-log.ts';
import type { ApiKey } from './api-key.ts';

/** A customer may hold so many live keys: the old and the new one of a rotation. */
const LIVE_KEYS = 2;

export interface CreateApiKeyArgs {
  customerId: string;
  /** Where the customer belongs, which is made if it is new; without one of these two the customer has to exist. */
  domainId?: number | undefined;
  /** The same by name; a domain that is new is made. */
  domainName?: string | undefined;
  expiresAt?: Date | null | undefined;
  /** For the audit log. */
  actor: string;
}

export interface IssuedApiKey {
  /** Shown once. */
  key: string;
  apiKey: ApiKey;
}

/** Issues an API key without asking for permissions: for operators (`trivium api-key create`) and behind the guard of issueApiKey. Throws ValidationError, NotFoundError. */
export async function createApiKey(
  services: Pick<Services, 'db' | 'clock'>,
  args: CreateApiKeyArgs,
): Promise<IssuedApiKey> {
  const { customerId } = args;
  const now = new Date(services.clock());
  const expiresAt = args.expiresAt ?? null;
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(customerId))
    throw refusal(
      'customerId',
      'must be 1 to 64 letters, digits, dots, dashes or underscores',
      'INVALID',
    );
  if (expiresAt && expiresAt <= now)
    throw refusal('expiresAt', 'must be in the future', 'EXPIRY_IN_PAST');
  const { key, prefix } = makeApiKey();
  const id = randomUUID();
  await services.db.transaction(async (client) => {
    const domainId =
      args.domainName === undefined ? args.domainId : await findDomain(client, args.domainName);
    if (domainId !== undefined) {
      await client.query(
        'INSERT INTO api_customer (customer_id, domain_id, name, created_at) VALUES ($1, $2, $1, $3) ON CONFLICT DO NOTHING',
        [customerId, domainId, now],
      );
    }
    const { rows } = await client.query<{ domain_id: number }>(
      'SELECT domain_id FROM api_customer WHERE customer_id = $1 FOR UPDATE',
      [customerId],
    );
    const customer = rows[0];
    if (!customer) throw new NotFoundError('Customer');
    if (domainId !== undefined && customer.domain_id !== domainId)
      throw refusal('customerId', 'is taken', 'TAKEN');
    const live = await client.query(
      'SELECT FROM api_key WHERE customer_id = $1 AND revoked_at IS NULL AND coalesce(expires_at > $2, true)',
      [customerId, now],
    );
    if ((live.rowCount ?? 0) >= LIVE_KEYS)
      throw refusal('customerId', `has ${LIVE_KEYS} live keys: revoke one first`, 'TOO_MANY_KEYS');
    await client.query(
      'INSERT INTO api_key (id, customer_id, prefix, key_hash, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)',
      [id, customerId, prefix, hashToken(key), now, expiresAt],
    );
    await writeAuditLog(client, {
      actor: args.actor,
      action: 'issueApiKey',
      target: `${customerId} ttk_${prefix}`,
      at: now,
    });
  });
  return {
    key,
    apiKey: {
      id,
      customerId,
      prefix: `ttk_${prefix}`,
      createdAt: now,
      expiresAt,
      revokedAt: null,
      lastUsedAt: null,
    },
  };
}

/** The id of a domain, which is made if it is new. */
async function findDomain(client: PoolClient, name: string): Promise<number | undefined> {
  await client.query('INSERT INTO domain (name) VALUES ($1) ON CONFLICT DO NOTHING', [name]);
  const { rows } = await client.query<{ id: number }>('SELECT id FROM domain WHERE name = $1', [
    name,
  ]);
  return rows[0]?.id;
}

function refusal(field: string, message: string, code: string): ValidationError {
  return new ValidationError([{ path: ['input', field], message, code }], `${field} ${message}`);
}
