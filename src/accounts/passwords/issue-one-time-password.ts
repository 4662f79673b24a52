import { randomInt } from 'node:crypto';
import { hashPassword } from '../../auth/passwords.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import type { Acting } from '../../core/context/act.ts';
import type { Services } from '../../core/context/context.ts';
import { recordWrite } from '../../core/audit/record-write.ts';
import type { Administrator } from '../users/administrator.ts';
import { readUser } from '../users/read-user.ts';
import type { User } from '../users/user.ts';

/** Days within which a one-time password has to be replaced. */
const DAYS = 7;
/** Digits and letters that nobody takes for others. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';

export interface OneTimePassword {
  /** Shown once. */
  password: string;
  user: User;
}

/**
 * Gives a user a password for the next sign-in, which has to replace it, and ends their sessions, without checking
 * permissions: for operators (`trivium user one-time-password`), and for setOneTimePassword, which has checked them.
 * Throws NotFoundError.
 */
export async function issueOneTimePassword(
  services: Pick<Services, 'db' | 'clock'> & Acting,
  { admin, userId }: { admin: Administrator; userId: number },
): Promise<OneTimePassword> {
  await readUser(services, admin, userId);
  const password = makePassword();
  const passwordHash = await hashPassword(password);
  const at = new Date(services.clock());
  const user = await inTransaction(services, async (tx) => {
    const { prisma } = tx.db;
    const oneTimeUntil = new Date(at.getTime() + DAYS * 86_400_000);
    await prisma.user.update({
      where: { id: userId, domainId: admin.domainId },
      data: { passwordHash, oneTimeUntil },
      select: { id: true },
    });
    await prisma.session.updateMany({
      where: { userId, revokedAt: null },
      data: { revokedAt: at },
    });
    const { domainId } = admin;
    const what = { action: 'setOneTimePassword', domainId, typename: 'User', id: userId };
    await recordWrite(services, tx.db, what);
    return readUser(tx, admin, userId);
  });
  return { password, user };
}

/** 99 random bits in groups of five, easy to read aloud. */
function makePassword(): string {
  const sign = (): string => ALPHABET.charAt(randomInt(ALPHABET.length));
  const group = (): string => Array.from({ length: 5 }, sign).join('');
  return Array.from({ length: 4 }, group).join('-');
}
