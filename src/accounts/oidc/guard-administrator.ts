import type { Services } from '../../core/context/context.ts';
import { watchAdministrators } from '../users/keep-an-administrator.ts';
import { isAdministrator } from '../users/users.sql.ts';
import type { IdentifiedUser } from './find-identity.ts';

/**
 * Before claims are applied, within a transaction: returns what gives the user back the permission DOMAIN_ADMIN if the
 * claims took it from the last administrator of the domain. A provider's mistake should not lock everybody out.
 */
export async function guardAdministrator(
  services: Pick<Services, 'db' | 'clock' | 'config' | 'log'>,
  { id: userId, domainId }: IdentifiedUser,
): Promise<() => Promise<void>> {
  const { db } = services;
  if (!(await isAdministrator.first(db, { userId }))) return () => Promise.resolve();
  const lostTheLast = await watchAdministrators(services, domainId);
  return async () => {
    if (!(await lostTheLast())) return;
    await db.prisma.permissionGrant.create({
      data: { subjectType: 'USER', subjectId: userId, permission: 'DOMAIN_ADMIN' },
    });
    services.log.warn(
      { userId, domainId },
      'the claims would take DOMAIN_ADMIN from the last administrator of the domain: it stays',
    );
  };
}
