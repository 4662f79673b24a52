import { domainClosed } from '../core/errors.ts';
import type { Services } from '../core/context/context.ts';
import { zoneOrUtc } from '../core/time/is-time-zone.ts';
import type { FeedView, Viewer } from '../core/context/viewer.ts';
import type { RowOf } from '../core/sql/types.ts';
import type { enabledUser, liveSessions } from './identify.sql.ts';

type UserRow = Omit<RowOf<typeof enabledUser.row>, 'defaultView'>;
type SessionRow = RowOf<typeof liveSessions.row>;

/** A user as the viewer of a session. */
export function toViewer(
  services: Services,
  { memberships, permissions, timeZone, ...user }: UserRow,
  session: Pick<SessionRow, 'sessionId' | 'currentView' | 'writtenLsn'>,
): Viewer {
  return {
    sessionId: session.sessionId,
    userId: user.userId,
    login: user.login,
    displayName: user.displayName,
    domainId: user.domainId,
    unitId: user.unitId,
    profileId: user.profileId,
    // Departments that are not home departments are negative.
    deptIds: memberships.map(Math.abs),
    homeDeptIds: memberships.filter((dept) => dept > 0),
    isOpen: isOpen(user.domainState),
    timeZone: zoneOrUtc(timeZone, () => {
      services.log.warn({ zone: timeZone }, 'not an IANA time zone: UTC is used');
    }),
    langCode: user.langCode,
    currentView: parseView(session.currentView),
    permissions: new Set(permissions ? permissions.split(',') : []),
    configVersion: user.configVersion,
    writtenLsn: session.writtenLsn,
  };
}

function parseView(view: string): FeedView {
  return view === 'DV' || view === 'SV' ? view : 'MV';
}

/** Whether a domain in this state takes writes. Throws 503 where it is not even read: it comes, or goes. */
export function isOpen(state: string): boolean {
  if (state === 'ARRIVING' || state === 'LEAVING') throw domainClosed();
  return state === 'OPEN';
}
