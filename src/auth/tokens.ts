import { hash, randomBytes } from 'node:crypto';

/** A new session token: 32 random bytes, base64url. Shown once; only its hash is kept. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What the database keeps of a token. */
export function hashToken(token: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(hash('sha256', token, 'buffer'));
}

/** The same hash as PostgreSQL prints it. */
export function printedHash(token: string): string {
  return `\\x${hash('sha256', token)}`;
}

/** Does the text have the form of a session token? */
export function isToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}
