import type { Services } from '../core/context/context.ts';
import type { Viewer } from '../core/context/viewer.ts';
import { enabledUser } from './identify.sql.ts';
import { toViewer } from './to-viewer.ts';

/**
 * A user without a session, in their default view, for what they published in their name; null when there is none or
 * they are disabled.
 */
export async function loadViewer(services: Services, userId: number): Promise<Viewer | null> {
  const row = await enabledUser.first(services.db, { userId });
  return row
    ? toViewer(services, row, { sessionId: '', currentView: row.defaultView, writtenLsn: 0 })
    : null;
}

/** The first user, for development without sessions (D-72); null when there is none. */
export async function firstViewer(services: Services): Promise<Viewer | null> {
  const first = await services.db.prisma.user.findFirst({
    where: { disabledAt: null },
    orderBy: { id: 'asc' },
  });
  return first && loadViewer(services, first.id);
}
