import { randomUUID } from 'node:crypto';
import type { Services, SignedInContext } from '../../core/context/context.ts';
import { startTrace } from '../../core/context/telemetry.ts';

/** What a user may do now, without a session, in work of this name that no request waits for. */
export function backgroundContext(
  services: Services,
  user: { id: number; login: string; displayName: string; domainId: number },
  work: string,
): SignedInContext {
  const { id: userId, login, displayName, domainId } = user;
  return {
    ...services,
    viewer: {
      sessionId: randomUUID(),
      userId,
      login,
      displayName,
      domainId,
      unitId: null,
      profileId: null,
      deptIds: [],
      homeDeptIds: [],
      isOpen: true,
      timeZone: 'UTC',
      langCode: 'en',
      currentView: 'MV',
      permissions: new Set(),
      configVersion: '1',
      writtenLsn: 0,
    },
    customer: null,
    requestId: work,
    trace: startTrace(work, 'background'),
    remoteAddress: '',
    baseUrl: '',
  };
}
