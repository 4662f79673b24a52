import { lockUser } from '../../auth/identify.sql.ts';
import { ABSOLUTE_LIFE, SLIDING_LIFE } from '../../auth/prolong-session.ts';
import { hashToken, makeToken } from '../../auth/tokens.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import type { Acting } from '../../core/context/act.ts';
import type { Services } from '../../core/context/context.ts';
import { recordWrite } from '../../core/audit/record-write.ts';
import { NotFoundError } from '../../core/errors.ts';
import { foldLogin } from '../../core/text.ts';

export interface IssuedSession {
  /** Shown once. */
  token: string;
  expiresAt: Date;
}

/**
 * Issues a session without asking for a password: for operators (`trivium session create`), whom the audit log names, and
 * after a successful sign-in, which says by which hash the password was proved. Throws NotFoundError, also if the user was
 * disabled or given another password in the meantime.
 */
export async function createSession(
  services: Pick<Services, 'db' | 'clock'> & Acting,
  login: string,
  provedBy: string | null = null,
): Promise<IssuedSession> {
  const user = await services.db.prisma.user.findUnique({ where: { login: foldLogin(login) } });
  if (!user || user.disabledAt) throw new NotFoundError(user ? 'Enabled user' : 'User');
  const now = services.clock();
  const token = makeToken();
  const expiresAt = new Date(now + SLIDING_LIFE);
  await inTransaction(services, async ({ db }) => {
    const still = await lockUser.first(db, { userId: user.id, provedBy });
    if (!still) throw new NotFoundError('User');
    await db.prisma.session.create({
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
    if (!services.act)
      await recordWrite(services, db, {
        ...{ action: 'createSession', domainId: user.domainId, typename: 'User', id: user.id },
        target: `user:${user.id}`,
      });
  });
  return { token, expiresAt };
}
