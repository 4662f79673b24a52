import { ABSOLUTE_LIFE, SLIDING_LIFE } from '../../auth/identify-viewer.ts';
import { hashToken, makeToken } from '../../auth/tokens.ts';
import type { Services } from '../../core/context/context.ts';
import { NotFoundError } from '../../core/errors.ts';

export interface IssuedSession {
  /** Shown once. */
  token: string;
  expiresAt: Date;
}

/** Issues a session for a user without asking for a password: for operators (`trivium session create`) and after a sign-in. Throws NotFoundError. */
export async function createSession(
  services: Pick<Services, 'db' | 'clock'>,
  login: string,
): Promise<IssuedSession> {
  const user = await services.db.prisma.user.findUnique({ where: { login: login.toLowerCase() } });
  if (!user || user.disabledAt) throw new NotFoundError('User');
  const now = services.clock();
  const token = makeToken();
  const expiresAt = new Date(now + SLIDING_LIFE);
  await services.db.prisma.session.create({
    data: {
      tokenHash: hashToken(token),
      userId: user.id,
      currentView: user.defaultView,
      createdAt: new Date(now),
      lastSeenAt: new Date(now),
      expiresAt,
      absoluteExpiresAt: new Date(now + ABSOLUTE_LIFE),
    },
  });
  return { token, expiresAt };
}
