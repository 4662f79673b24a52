import { makeApiKey } from '../../../auth/api-keys.ts';
import { hashToken } from '../../../auth/tokens.ts';
import { recordWrite } from '../../../core/audit/record-write.ts';
import type { Acting } from '../../../core/context/act.ts';
import type { Services } from '../../../core/context/context.ts';
import { inTransaction } from '../../../core/context/in-transaction.ts';
import { liveAt, refusal, requireFuture } from '../../credentials/credential-dates.ts';
import { lockDomain } from '../../users/users.sql.ts';
import { scimTokenColumns, toScimToken, type ScimToken } from './scim-token.ts';

/** Most live tokens of a domain: the old and the new one during a rotation. */
const LIVE_TOKENS = 2;

export interface IssuedScimToken {
  /** Shown once. */
  token: string;
  scimToken: ScimToken;
}

/**
 * Issues a SCIM token without checking permissions: for operators (`trivium scim-token create`), and for issueScimToken,
 * which has checked them. Throws ValidationError.
 */
export function createScimToken(
  services: Pick<Services, 'db' | 'clock'> & Acting,
  args: { domainId: number; expiresAt?: Date | null | undefined },
): Promise<IssuedScimToken> {
  const { domainId, expiresAt = null } = args;
  const now = new Date(services.clock());
  requireFuture(expiresAt, now);
  const { key: token, prefix } = makeApiKey('tsc');
  return inTransaction(services, async ({ db }) => {
    // Locked, so that of tokens issued at once no more than LIVE_TOKENS live.
    await lockDomain.rows(db, { domainId });
    const live = await db.prisma.scimToken.count({
      where: { domainId, ...liveAt(now) },
    });
    if (live >= LIVE_TOKENS)
      throw refusal(
        'domain',
        `has ${LIVE_TOKENS} live SCIM tokens: revoke one first`,
        'TOO_MANY_TOKENS',
      );
    const row = await db.prisma.scimToken.create({
      data: { domainId, prefix, tokenHash: hashToken(token), createdAt: now, expiresAt },
      select: scimTokenColumns,
    });
    await recordWrite(services, db, {
      ...{ action: 'issueScimToken', domainId, typename: 'ScimToken', id: row.id },
      target: `tsc_${prefix}`,
    });
    return { token, scimToken: toScimToken(row) };
  });
}
