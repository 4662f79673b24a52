import { randomUUID } from 'node:crypto';
import type { SignedInContext, Services } from '../../../core/context/context.ts';
import { startTrace } from '../../../core/context/telemetry.ts';
import { NotFoundError } from '../../../core/errors.ts';

/** What the job's owner may do now, without a session. Throws NotFoundError for a user who may do nothing any more. */
export async function ownerContext(
  services: Services,
  ownerId: number,
  job: 'export' | 'import',
): Promise<SignedInContext> {
  const owner = await services.db.prisma.user.findUnique({
    where: { id: ownerId, disabledAt: null },
    select: { login: true, displayName: true, domainId: true },
  });
  if (!owner) throw new NotFoundError('User');
  return {
    ...services,
    viewer: {
      sessionId: randomUUID(),
      userId: ownerId,
      ...owner,
      unitId: null,
      profileId: null,
      deptIds: [],
      homeDeptIds: [],
      isOpen: true,
      timeZone: 'UTC',
      langCode: 'en',
      currentView: 'MV',
      permissions: new Set(),
      configVersion: 1,
      writtenLsn: 0,
    },
    customer: null,
    requestId: job,
    trace: startTrace(job, 'background'),
    remoteAddress: '',
    baseUrl: '',
  };
}
