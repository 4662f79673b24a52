import { makeApiKey } from '../../auth/api-keys.ts';
import { hashToken } from '../../auth/tokens.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import type { Prisma } from '../../core/database/open-prisma.ts';
import type { Acting } from '../../core/context/act.ts';
import type { Services } from '../../core/context/context.ts';
import { NotFoundError } from '../../core/errors.ts';
import { recordWrite } from '../../core/audit/record-write.ts';
import { liveAt, refusal, requireFuture } from '../credentials/credential-dates.ts';
import { apiKeyColumns, toApiKey, type ApiKey } from './api-key.ts';
import { lockCustomer } from '../users/users.sql.ts';

/** Most live keys of a customer: the old and the new one during a rotation. */
const LIVE_KEYS = 2;

export interface CreateApiKeyArgs {
  customerId: string;
  /** Domain of the customer, who is created if new. Without domainId or domainName, the customer has to exist. */
  domainId?: number | undefined;
  /** The same by name; the domain is created if new. */
  domainName?: string | undefined;
  expiresAt?: Date | null | undefined;
}

export interface IssuedApiKey {
  /** Shown once. */
  key: string;
  apiKey: ApiKey;
}

/**
 * Issues an API key without checking permissions: for operators (`trivium api-key create`), and for issueApiKey, which
 * has checked them. Throws ValidationError, NotFoundError.
 */
export async function createApiKey(
  services: Pick<Services, 'db' | 'clock'> & Acting,
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
  requireFuture(expiresAt, now);
  const { key, prefix } = makeApiKey();
  return inTransaction(services, async ({ db }) => {
    const domainId =
      args.domainName === undefined ? args.domainId : await findDomain(db.prisma, args.domainName);
    if (domainId !== undefined)
      await db.prisma.apiCustomer.createMany({
        data: { customerId, domainId, name: customerId, createdAt: now },
        skipDuplicates: true,
      });
    // Locked, so that of keys issued at once no more than LIVE_KEYS live.
    const customer = await lockCustomer.first(db, { customerId });
    if (!customer) throw new NotFoundError('Customer');
    if (domainId !== undefined && customer.domainId !== domainId)
      throw refusal('customerId', 'is taken', 'TAKEN');
    const live = await db.prisma.apiKey.count({
      where: { customerId, ...liveAt(now) },
    });
    if (live >= LIVE_KEYS)
      throw refusal('customerId', `has ${LIVE_KEYS} live keys: revoke one first`, 'TOO_MANY_KEYS');
    const apiKey = await db.prisma.apiKey.create({
      data: { customerId, prefix, keyHash: hashToken(key), createdAt: now, expiresAt },
      select: apiKeyColumns,
    });
    await recordWrite(services, db, {
      ...{ action: 'issueApiKey', domainId: customer.domainId, typename: 'ApiKey', id: apiKey.id },
      target: `${customerId} ttk_${prefix}`,
    });
    return { key, apiKey: toApiKey(apiKey) };
  });
}

/** The id of a domain; a new one is created. */
async function findDomain(prisma: Prisma, name: string): Promise<number | undefined> {
  await prisma.domain.createMany({ data: { name }, skipDuplicates: true });
  return (await prisma.domain.findUnique({ where: { name } }))?.id;
}
