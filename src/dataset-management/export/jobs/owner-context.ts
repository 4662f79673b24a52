import type { SignedInContext, Services } from '../../../core/context/context.ts';
import { NotFoundError } from '../../../core/errors.ts';
import { backgroundContext } from '../../content/background-context.ts';

/** What the job's owner may do now, without a session. Throws NotFoundError for a user who may do nothing any more. */
export async function ownerContext(
  services: Services,
  ownerId: number,
  job: 'export' | 'import',
): Promise<SignedInContext> {
  const owner = await services.db.prisma.user.findUnique({
    where: { id: ownerId, disabledAt: null },
    select: { id: true, login: true, displayName: true, domainId: true },
  });
  if (!owner) throw new NotFoundError('User');
  return backgroundContext(services, owner, job);
}
