import { createHash, randomBytes } from 'node:crypto';

/**
 * A new API key `ttk_<8>_<43>`: eight hexadecimal digits that identify it, then 28 random bytes and a checksum of four,
 * in base64url. Shown once.
 */
export function makeApiKey(): { key: string; prefix: string } {
  const prefix = randomBytes(4).toString('hex');
  const secret = randomBytes(28);
  return {
    key: `ttk_${prefix}_${Buffer.concat([secret, checksum(prefix, secret)]).toString('base64url')}`,
    prefix,
  };
}

/** The prefix of a well-formed API key; undefined for anything else, so that a mistyped key costs no look-up. */
export function apiKeyPrefix(key: string): string | undefined {
  const [, prefix, text] = /^ttk_([0-9a-f]{8})_([A-Za-z0-9_-]{43})$/.exec(key) ?? [];
  if (prefix === undefined || text === undefined) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  return checksum(prefix, bytes.subarray(0, 28)).equals(bytes.subarray(28)) ? prefix : undefined;
}

function checksum(prefix: string, secret: Uint8Array): Buffer {
  return createHash('sha256').update(`ttk_${prefix}_`).update(secret).digest().subarray(0, 4);
}
