import type { Services } from '../../core/context/context.ts';
import { watchAdministrators } from '../users/keep-an-administrator.ts';
import type { IdentifiedUser } from './find-identity.ts';

const permission = 'DOMAIN_ADMIN';

/**
 * Before claims are applied, within a transaction: returns what gives the user back the permission DOMAIN_ADMIN if the
 * claims took it from the last administrator of the domain. A provider's mistake should not lock everybody out.
 */
export async function guardAdministrator(
  services: Pick<Services, 'db' | 'clock' | 'config' | 'log'>,
  { id: userId, domainId, profileId }: IdentifiedUser,
): Promise<() => Promise<void>> {
  const { prisma } = services.db;
  const own = { subjectType: 'USER', subjectId: userId } as const;
  const isAdministrator = await prisma.permissionGrant.findFirst({
    where: {
      permission,
      OR: [
        own,
        ...(profileId === null ? [] : [{ subjectType: 'PROFILE', subjectId: profileId } as const]),
      ],
    },
  });
  if (!isAdministrator) return () => Promise.resolve();
  const lostTheLast = await watchAdministrators(services, domainId);
  return async () => {
    if (!(await lostTheLast())) return;
    await prisma.permissionGrant.create({ data: { ...own, permission } });
    services.log.warn(
      { userId, domainId },
      'the claims would take DOMAIN_ADMIN from the last administrator of the domain: it stays',
    );
  };
}
