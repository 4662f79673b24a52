import { lockUser } from '../../auth/identify.sql.ts';
import { SLIDING_LIFE } from '../../auth/prolong-session.ts';
import { hashToken } from '../../auth/tokens.ts';
import { tellAct, tellObject, type Acting } from '../../core/context/act.ts';
import type { Services } from '../../core/context/context.ts';
import { ValidationError } from '../../core/errors.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import { lockOf, waitForLock } from '../../core/sql/writes.sql.ts';
import { lockDomain } from '../users/users.sql.ts';
import { applyClaims } from './apply-claims.ts';
import { guardAdministrator } from './guard-administrator.ts';
import { findIdentity, keepIdentity, refuse } from './find-identity.ts';
import { readClaims } from './read-claims.ts';
import type { VerifiedToken } from './verify-token.ts';

/** The session to begin. */
interface NewSession {
  /** By which requests name it: our own, or the provider's access token itself. */
  token: string;
  /** Epoch milliseconds. */
  absoluteExpiresAt: number;
}

/**
 * Begins the session of a verified token: finds, links or makes its user, applies its claims unless newer ones were
 * applied, and stores the session, all in one transaction. A token begins one session only, so none comes back after it
 * was ended. Throws E202.
 */
export async function beginSession(
  services: Pick<Services, 'db' | 'clock' | 'config' | 'log'> & Acting,
  verified: VerifiedToken,
  { token, absoluteExpiresAt }: NewSession,
): Promise<{ expiresAt: Date }> {
  const { settings, subject, claims, proof } = verified;
  const said = readClaims(settings, claims);
  const now = services.clock();
  const expiresAt = new Date(Math.min(now + SLIDING_LIFE, absoluteExpiresAt));
  // What is refused costs reads only, however often it comes.
  await findIdentity(services, verified, said);
  await inTransaction(services, async (tx) => {
    const { db } = tx;
    // Requests of one identity that come at once find what the first of them has made.
    await waitForLock.rows(db, { lock: lockOf('identity', settings.issuer, subject) });
    const found = await findIdentity(tx, verified, said);
    const user = await keepIdentity(tx, verified, { said, found });
    const issuedAt = issueOf(verified);
    const isNews = !found.claimsAt || issuedAt >= found.claimsAt;
    // Who changes administrators or departments locks the domain first, then the user.
    if (isNews && (said.departments ?? said.homeDepartments))
      await lockDomain.rows(db, { domainId: user.domainId });
    const keepAdministrator = isNews ? await guardAdministrator(tx, user) : undefined;
    if (!(await lockUser.first(db, { userId: user.id, provedBy: null })))
      throw refuse(tx, verified, 'disabled user', user);
    const { count } = await db.prisma.userIdentity.updateMany({
      where: { issuer: settings.issuer, subject, userId: user.id },
      data: { claimsAt: isNews ? issuedAt : found.claimsAt },
    });
    if (count === 0) throw refuse(tx, verified, 'unlinked user', user);
    if (isNews) await applyClaims(db, user, said);
    await keepAdministrator?.();
    await db.prisma.session.create({
      data: {
        tokenHash: hashToken(token),
        proof,
        userId: user.id,
        currentView: user.defaultView,
        createdAt: new Date(now),
        lastSeenAt: new Date(now),
        expiresAt,
        absoluteExpiresAt: new Date(absoluteExpiresAt),
      },
    });
    tellObject(tx, 'User', user.id);
    tellAct(tx, {
      ...{ actor: `user:${user.id}`, userId: user.id, domainId: user.domainId },
      target: `provider ${settings.id}`,
    });
  }).catch((error: unknown) => {
    // At the same moment, another identity took the login.
    throw error instanceof ValidationError
      ? refuse(services, verified, 'login of another user')
      : error;
  });
  return { expiresAt };
}

/** When a token was issued; one that does not say it is older than all that do. */
function issueOf({ claims: { iat = 0 } }: VerifiedToken): Date {
  return new Date(Math.max(0, iat) * 1000);
}
