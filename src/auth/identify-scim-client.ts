import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Services } from '../core/context/context.ts';
import type { ScimClient } from '../core/context/customer.ts';
import { apiKeyPrefix } from './api-keys.ts';
import { liveScimTokens } from './identify.sql.ts';
import { SEEN_GRAIN } from './prolong-session.ts';
import { isOpen } from './to-viewer.ts';
import { hashToken } from './tokens.ts';

/** The directory of `Authorization: Bearer`; undefined when the token is missing, unknown, expired or revoked. */
export async function identifyScimClient(
  services: Services,
  { authorization }: IncomingHttpHeaders,
): Promise<ScimClient | undefined> {
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
  const prefix = apiKeyPrefix(token, 'tsc');
  if (prefix === undefined) return undefined;
  const now = services.clock();
  const hash = hashToken(token);
  const found = await liveScimTokens.rows(services.db, { prefix, now: new Date(now) });
  const match = found.find(({ tokenHash }) => timingSafeEqual(hash, tokenHash));
  if (!match) return undefined;
  const { tokenId, domainId, lastUsedAt } = match;
  const open = isOpen(match.domainState);
  if (!lastUsedAt || now - lastUsedAt.getTime() > SEEN_GRAIN) noteUse(services, tokenId, now);
  return { tokenId, domainId, isOpen: open };
}

/** Not awaited, so that the reply need not wait for it. */
function noteUse(services: Services, tokenId: string, now: number): void {
  services.db.prisma.scimToken
    .updateMany({ where: { id: tokenId }, data: { lastUsedAt: new Date(now) } })
    .catch((error: unknown) =>
      services.log.warn({ err: error }, 'the last use of a SCIM token could not be stored'),
    );
}
