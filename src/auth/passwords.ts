import { hash, verify } from '@node-rs/argon2';
import { makeOnce } from '../core/turns/make-once.ts';

/** Hashes a password with argon2id (OWASP's first parameters: 19 MiB, 2 passes) and a salt of its own. */
export function hashPassword(password: string): Promise<string> {
  return hash(password.normalize('NFC'), { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
}

/**
 * A hash to verify against when there is no password: it takes as long as a real one, so that timing does not reveal
 * whether a login exists.
 */
const decoy = makeOnce(() => hashPassword(''));

/** Is this the password of the hash? Null, for a user without a password, takes as long and gives false. */
export async function verifyPassword(
  passwordHash: string | null,
  password: string,
): Promise<boolean> {
  const matches = await verify(passwordHash ?? (await decoy()), password.normalize('NFC'));
  return passwordHash !== null && matches;
}
