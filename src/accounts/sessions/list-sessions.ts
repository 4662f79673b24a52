import type { SignedInContext } from '../../core/context/context.ts';
import type { Connection, PageRequest } from '../../core/lists/pagination.ts';
import { readPage } from '../../core/lists/read-list.ts';
import { sessions } from '../users/users.sql.ts';

/** A session of the viewer. */
export interface OwnSession {
  id: string;
  /** As PostgreSQL prints it. */
  createdAt: string;
  lastSeenAt: Date;
  expiresAt: Date;
  /** The session of this request. */
  current: boolean;
}

/** The viewer's own sessions that have not ended, the latest first. GraphQL `viewer.sessions`. */
export function listSessions(
  ctx: SignedInContext,
  page: PageRequest,
): Promise<Connection<OwnSession>> {
  const { userId, sessionId } = ctx.viewer;
  const query = sessions.query(
    { userId, now: new Date(ctx.clock()) },
    (row): OwnSession => ({ ...row, current: row.id === sessionId }),
    ({ createdAt, id }) => [createdAt, id],
  );
  return readPage(ctx, query, page);
}
