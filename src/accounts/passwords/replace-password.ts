import { hashPassword } from '../../auth/passwords.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import { tellObject, type Acting } from '../../core/context/act.ts';
import type { Services } from '../../core/context/context.ts';
import { ValidationError } from '../../core/errors.ts';
import { checkNewPassword } from './check-new-password.ts';

/** What a user replaces, who has just proved to know the old password. */
export interface PasswordReplacement {
  user: { id: number; login: string };
  oldPassword: string;
  newPassword: string;
  /** The session that goes on; the others end. */
  sessionId?: string | undefined;
}

/** Stores the password that a user chose, and ends the other sessions. Throws ValidationError. */
export async function replacePassword(
  services: Pick<Services, 'db' | 'clock'> & Acting,
  { user, oldPassword, newPassword, sessionId }: PasswordReplacement,
): Promise<void> {
  if (newPassword.normalize('NFC') === oldPassword.normalize('NFC'))
    throw new ValidationError([
      { path: ['input', 'newPassword'], message: 'must differ from the old one', code: 'SAME' },
    ]);
  await checkNewPassword(newPassword, user.login);
  const passwordHash = await hashPassword(newPassword);
  const at = new Date(services.clock());
  await inTransaction(services, async ({ db }) => {
    await db.prisma.user.update({
      where: { id: user.id },
      data: { passwordHash, oneTimeUntil: null },
      select: { id: true },
    });
    await db.prisma.session.updateMany({
      where: { userId: user.id, revokedAt: null, ...(sessionId && { id: { not: sessionId } }) },
      data: { revokedAt: at },
    });
    tellObject(services, 'User', user.id);
  });
}
