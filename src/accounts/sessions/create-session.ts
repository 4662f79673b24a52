import { randomUUID } from 'node:crypto';
import { ABSOLUTE_LIFE, SLIDING_LIFE } from '../../auth/identify-viewer.ts';
import { hashToken, makeToken } from '../../auth/tokens.ts';
import type { Services } from '../../core/context/context.ts';
import { writeAuditLog } from '../../core/context/write-audit-log.ts';
import { NotFoundError } from '../../core/errors.ts';

export interface IssuedSession {
  /** Shown once. */
  token: string;
  expiresAt: Date;
}

/** Issues a session for a user without asking for a password: for operators (`trivium session create`) and after a sign-in, from an address. Puts it on record. Throws NotFoundError. */
export async function createSession(
  services: Pick<Services, 'db' | 'clock'>,
  login: string,
  signedInFrom?: string,
): Promise<IssuedSession> {
  const user = await services.db.prisma.user.findUnique({ where: { login: login.toLowerCase() } });
  if (!user || user.disabledAt) throw new NotFoundError('User');
  const now = services.clock();
  const token = makeToken();
  const expiresAt = new Date(now + SLIDING_LIFE);
  const absoluteEnd = new Date(now + ABSOLUTE_LIFE);
  await services.db.transaction(async (client) => {
    await client.query(
      `INSERT INTO session (id, token_hash, user_id, current_view, created_at, last_seen_at, expires_at, absolute_expires_at)
       VALUES ($1, $2, $3, $4, $5, $5, $6, $7)`,
      [
        randomUUID(),
        Buffer.from(hashToken(token)),
        user.id,
        user.defaultView,
        new Date(now),
        expiresAt,
        absoluteEnd,
      ],
    );
    await writeAuditLog(client, {
      actor: signedInFrom === undefined ? 'operator' : `user:${user.id}`,
      action: signedInFrom === undefined ? 'createSession' : 'signIn',
      target: signedInFrom === undefined ? `user:${user.id}` : `from ${signedInFrom}`,
      at: new Date(now),
    });
  });
  return { token, expiresAt };
}
