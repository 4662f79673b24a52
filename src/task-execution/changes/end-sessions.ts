import type { Services } from '../../core/context/context.ts';
import { openSessions } from '../change-log/changes.sql.ts';
import type { Watches } from './watches.ts';

/** Ends the streams whose session was revoked or has run out, or whose user is disabled. */
export async function endSessions(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  watches: Watches,
): Promise<void> {
  const ids = watches.sessions();
  if (ids.length === 0) return;
  const open = await openSessions.rows(db, { ids, now: new Date(clock()) });
  const alive = new Set(open.map(({ id }) => id));
  const asked = new Set(ids);
  for (const watch of watches.all())
    if (asked.has(watch.sessionId) && !alive.has(watch.sessionId)) watch.ended('SESSION_ENDED');
}
