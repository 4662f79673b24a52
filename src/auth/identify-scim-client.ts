import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Services } from '../core/context/context.ts';
import type { ScimClient } from '../core/context/customer.ts';
import { apiKeyPrefix } from './api-keys.ts';
import { liveScimTokens } from './identify.sql.ts';
import { noteUse } from './prolong-session.ts';
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
  noteUse(services, { id: tokenId, lastUsedAt }, (used) =>
    services.db.prisma.scimToken.updateMany(used),
  );
  return { tokenId, domainId, isOpen: open };
}
