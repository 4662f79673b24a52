import { verifyPassword } from '../../auth/passwords.ts';
import type { Services } from '../../core/context/context.ts';

/** What is known of a user's password. */
interface WithPassword {
  passwordHash: string | null;
  /** Until when it can be used, if it is a one-time password. */
  oneTimeUntil: Date | null;
}

/** Is this the password of the user, and of use still? It takes as long where there is no user, or no password. */
export async function hasPassword(
  { clock }: Pick<Services, 'clock'>,
  user: WithPassword | null,
  password: string,
): Promise<boolean> {
  const matches =
    password.length <= 1_000 && (await verifyPassword(user?.passwordHash ?? null, password));
  return matches && (!user?.oneTimeUntil || user.oneTimeUntil.getTime() > clock());
}
