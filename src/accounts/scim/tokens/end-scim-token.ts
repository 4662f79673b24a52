import { recordWrite } from '../../../core/audit/record-write.ts';
import { tellAct, tellObject, type Acting } from '../../../core/context/act.ts';
import type { Services } from '../../../core/context/context.ts';
import { inTransaction } from '../../../core/context/in-transaction.ts';
import { NotFoundError } from '../../../core/errors.ts';
import { findScimTokens } from './find-scim-tokens.ts';
import type { ScimToken } from './scim-token.ts';

/**
 * Revokes a SCIM token, named by id or by `tsc_` and its prefix; a revoked one stays as it is. Checks no permissions: for
 * operators, and for revokeScimToken, which has checked them. Throws NotFoundError.
 */
export async function endScimToken(
  services: Pick<Services, 'db' | 'clock'> & Acting,
  args: { token: string; domainId?: number },
): Promise<ScimToken> {
  const [found] = await findScimTokens(services, args);
  if (!found) throw new NotFoundError('SCIM token');
  const { id, domainId, prefix: target } = found;
  tellObject(services, 'ScimToken', id);
  tellAct(services, { target });
  if (found.revokedAt) return found;
  const at = new Date(services.clock());
  await inTransaction(services, async ({ db }) => {
    await db.prisma.scimToken.update({
      where: { id },
      data: { revokedAt: at },
      select: { id: true },
    });
    const write = { action: 'revokeScimToken', domainId, typename: 'ScimToken', id, target };
    await recordWrite(services, db, write);
  });
  return { ...found, revokedAt: at };
}
