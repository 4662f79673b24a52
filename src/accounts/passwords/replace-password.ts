import { hashPassword } from '../../auth/passwords.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import { tellObject, type Acting } from '../../core/context/act.ts';
import type { Services } from '../../core/context/context.ts';
import { AppError, invalidField } from '../../core/errors.ts';
import { checkNewPassword } from './check-new-password.ts';

/** What a user replaces, who has just proved to know the old password. */
export interface PasswordReplacement {
  /** As read when the old password was checked. */
  user: { id: number; login: string; passwordHash: string | null };
  oldPassword: string;
  newPassword: string;
  /** The session that goes on; the others end. */
  sessionId?: string | undefined;
}

/**
 * Stores the password that a user chose, ends the other sessions, and returns its hash. Throws ValidationError, and E202
 * if the user was given another password or disabled in the meantime.
 */
export async function replacePassword(
  services: Pick<Services, 'db' | 'clock'> & Acting,
  { user, oldPassword, newPassword, sessionId }: PasswordReplacement,
): Promise<string> {
  if (newPassword.normalize('NFC') === oldPassword.normalize('NFC'))
    throw invalidField('newPassword', 'must differ from the old one', 'SAME');
  await checkNewPassword(newPassword, user.login);
  const passwordHash = await hashPassword(newPassword);
  const at = new Date(services.clock());
  await inTransaction(services, async ({ db }) => {
    const { count } = await db.prisma.user.updateMany({
      where: { id: user.id, passwordHash: user.passwordHash, disabledAt: null },
      data: { passwordHash, oneTimeUntil: null },
    });
    if (count === 0) throw new AppError('E202', { message: 'Login or password is wrong' });
    await db.prisma.session.updateMany({
      where: { userId: user.id, revokedAt: null, ...(sessionId && { id: { not: sessionId } }) },
      data: { revokedAt: at },
    });
    tellObject(services, 'User', user.id);
  });
  return passwordHash;
}
