import { isSignedToken } from '../../auth/access-token.ts';
import { cachedViewer, identifyViewer } from '../../auth/identify-viewer.ts';
import { hashToken } from '../../auth/tokens.ts';
import { onRecord } from '../../core/audit/on-record.ts';
import { startAct } from '../../core/context/act.ts';
import type { Services } from '../../core/context/context.ts';
import type { AuditFacts } from '../../core/context/write-audit-log.ts';
import { AppError } from '../../core/errors.ts';
import { beginSession } from './begin-session.ts';
import { SKEW, verifyToken } from './verify-token.ts';

/** Where a request comes from, for the audit log. */
export type Whence = () => Pick<AuditFacts, 'surface' | 'address' | 'requestId'>;

/** Access tokens whose sessions are just beginning, for each database. */
const beginning = new WeakMap<Services['db'], Map<string, Promise<boolean>>>();

/**
 * The viewer of a session token, or of a provider's access token: its first use begins a session, whose token it is from
 * then on. So it costs as little as any other session, and ends with it.
 */
export function identifyToken(
  services: Services,
  token: string | undefined,
  whence: Whence,
): ReturnType<typeof cachedViewer> {
  const found = cachedViewer(services, token);
  if (token === undefined || services.oidc.length === 0 || !isSignedToken(token)) return found;
  const identified = found.identified.then(
    async (viewer) =>
      viewer ??
      ((await beginOnce(services, token, whence)) ? identifyViewer(services, token) : null),
  );
  return { cached: found.cached, identified };
}

/** Requests of a browser come together: their token is checked once. */
function beginOnce(services: Services, token: string, whence: Whence): Promise<boolean> {
  const { db } = services;
  let all = beginning.get(db);
  if (!all) beginning.set(db, (all = new Map<string, Promise<boolean>>()));
  const running = all;
  let one = running.get(token);
  if (!one) {
    one = begin(services, token, whence).finally(() => running.delete(token));
    running.set(token, one);
  }
  return one;
}

/** Begins the session of an access token; false if that is refused. Throws 503. */
async function begin(services: Services, token: string, whence: Whence): Promise<boolean> {
  const verified = await verifyToken(services, token, 'access');
  if (!verified) return false;
  // Its session has ended, or another gateway has just begun it: no write.
  const where = { tokenHash: hashToken(token) };
  const known = await services.db.prisma.session.findUnique({ where, select: { id: true } });
  if (known) return true;
  const act = startAct(
    { actor: 'unknown', action: 'signInWithToken', ...whence() },
    services.clock,
  );
  const absoluteExpiresAt = verified.expiresAt + SKEW * 1000;
  try {
    await onRecord(services, act, () =>
      beginSession({ ...services, act }, verified, { token, absoluteExpiresAt }),
    );
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'E202') return false;
    throw error;
  }
}
