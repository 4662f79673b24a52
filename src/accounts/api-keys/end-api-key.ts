import { tellAct, tellObject, type Acting } from '../../core/context/act.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import type { Services } from '../../core/context/context.ts';
import { NotFoundError } from '../../core/errors.ts';
import { recordWrite } from '../../core/audit/record-write.ts';
import { findApiKeys } from './find-api-keys.ts';
import type { ApiKey } from './api-key.ts';

/**
 * Revokes an API key, named by id or by `ttk_` and its prefix; a revoked one stays as it is. Checks no permissions: for
 * operators, and for revokeApiKey, which has checked them. Throws NotFoundError.
 */
export async function endApiKey(
  services: Pick<Services, 'db' | 'clock'> & Acting,
  args: { key: string; domainId?: number },
): Promise<ApiKey> {
  const [found] = await findApiKeys(services, args);
  if (!found) throw new NotFoundError('API key');
  const target = `${found.customerId} ${found.prefix}`;
  tellObject(services, 'ApiKey', found.id);
  tellAct(services, { target });
  if (found.revokedAt) return found;
  const now = new Date(services.clock());
  await inTransaction(services, async ({ db }) => {
    await db.prisma.apiKey.updateMany({
      where: { id: found.id, revokedAt: null },
      data: { revokedAt: now },
    });
    const { domainId } = await db.prisma.apiCustomer.findUniqueOrThrow({
      where: { customerId: found.customerId },
      select: { domainId: true },
    });
    const what = { action: 'revokeApiKey', domainId, typename: 'ApiKey', id: found.id, target };
    await recordWrite(services, db, what);
  });
  return { ...found, revokedAt: now };
}
