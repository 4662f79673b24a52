import { invalidField } from '../../core/errors.ts';
import { isStorable } from '../../core/text.ts';
import { isCommonPassword } from './is-common-password.ts';

const SHORTEST = 12;
const LONGEST = 256;

/** Throws ValidationError unless a user with this login may choose the password. */
export async function checkNewPassword(password: string, login: string): Promise<void> {
  const fault = await faultOf(password, login);
  if (!fault) return;
  const [code, message] = fault;
  throw invalidField('newPassword', message, code);
}

async function faultOf(password: string, login: string): Promise<[string, string] | undefined> {
  const length = [...password].length;
  if (length < SHORTEST) return ['TOO_SHORT', `must be at least ${SHORTEST} characters long`];
  if (length > LONGEST) return ['TOO_LONG', `must be at most ${LONGEST} characters long`];
  if (!isStorable(password)) return ['INVALID', 'holds a NUL or half a surrogate pair'];
  if (login.length >= 4 && password.normalize('NFC').toLowerCase().includes(login))
    return ['HOLDS_LOGIN', 'must not hold the login'];
  if (await isCommonPassword(password))
    return ['COMMON', 'is one that many people use, or close to one'];
  return undefined;
}
