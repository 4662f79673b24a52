import * as z from 'zod';
import { describeDates } from '../../accounts/credentials/credential-dates.ts';
import { createScimToken } from '../../accounts/scim/tokens/create-scim-token.ts';
import { endScimToken } from '../../accounts/scim/tokens/end-scim-token.ts';
import { findScimTokens } from '../../accounts/scim/tokens/find-scim-tokens.ts';
import type { ScimToken } from '../../accounts/scim/tokens/scim-token.ts';
import { findDomain } from '../../cells/find-domain.ts';
import type { Services } from '../../core/context/context.ts';
import { job } from './control-job.ts';

/** Jobs of `trivium scim-token`. */
export const scimTokenJobs = {
  createScimToken: job(
    z.strictObject({ domain: z.string(), expiresAt: z.iso.datetime().nullable() }),
    async (services, { domain, expiresAt }) => {
      const { id: domainId } = await findDomain(services.db, domain);
      const { token, scimToken } = await createScimToken(services, {
        domainId,
        expiresAt: expiresAt === null ? null : new Date(expiresAt),
      });
      return { token, prefix: scimToken.prefix, domain, expiresAt };
    },
  ),

  listScimTokens: job(
    z.strictObject({ domain: z.string().optional() }),
    async (services, { domain }) => {
      const now = new Date(services.clock());
      const found = domain === undefined ? undefined : await findDomain(services.db, domain);
      const tokens = await findScimTokens(services, { domainId: found?.id });
      const names = await namesOf(services, tokens);
      return tokens.map((token) => ({
        prefix: token.prefix,
        domain: names.get(token.domainId) ?? '',
        ...describeDates(token, now),
      }));
    },
  ),

  revokeScimToken: job(z.strictObject({ prefix: z.string() }), async (services, { prefix }) => {
    const token = await endScimToken(services, { token: prefix });
    return {
      prefix: token.prefix,
      domain: (await namesOf(services, [token])).get(token.domainId) ?? '',
      revokedAt: token.revokedAt?.toISOString() ?? null,
    };
  }),
};

/** The names of the domains of tokens. */
async function namesOf(
  { db }: Services,
  tokens: readonly ScimToken[],
): Promise<Map<number, string>> {
  const id = { in: tokens.map(({ domainId }) => domainId) };
  const found = await db.prisma.domain.findMany({
    where: { id },
    select: { id: true, name: true },
  });
  return new Map(found.map(({ id: domainId, name }) => [domainId, name]));
}
