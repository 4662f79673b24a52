import type { Services } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';

/** Throws where users sign in with a provider only: E202 for a sign-in, as clients of the documents expect it, else 403. */
export function requirePasswords(
  { config }: Pick<Services, 'config'>,
  code: 'E202' | 'E900' = 'E900',
): void {
  if (config.passwordSignIn) return;
  throw new AppError(code, {
    message: 'Passwords are switched off here: sign in with your provider',
    graphqlCode: 'PASSWORD_SIGN_IN_OFF',
    ...(code === 'E900' && { status: 403 }),
  });
}
