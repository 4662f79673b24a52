import { createHash, randomBytes } from 'node:crypto';

/** What a key is for, as its first letters say: `ttk` sends tasks, `tsc` manages users by SCIM. */
type KeyKind = 'ttk' | 'tsc';

/**
 * A new key such as `ttk_<8>_<43>`: eight hexadecimal digits that identify it, then 28 random bytes and a checksum of
 * four, in base64url. Shown once.
 */
export function makeApiKey(kind: KeyKind = 'ttk'): { key: string; prefix: string } {
  const prefix = randomBytes(4).toString('hex');
  const start = `${kind}_${prefix}_`;
  const secret = randomBytes(28);
  return {
    key: `${start}${Buffer.concat([secret, checksum(start, secret)]).toString('base64url')}`,
    prefix,
  };
}

/** The prefix of a well-formed key; undefined for anything else, so that a mistyped key costs no look-up. */
export function apiKeyPrefix(key: string, kind: KeyKind = 'ttk'): string | undefined {
  const [, found, prefix, text] = /^(\w{3})_([0-9a-f]{8})_([A-Za-z0-9_-]{43})$/.exec(key) ?? [];
  if (found !== kind || prefix === undefined || text === undefined) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  const sum = checksum(`${kind}_${prefix}_`, bytes.subarray(0, 28));
  return sum.equals(bytes.subarray(28)) ? prefix : undefined;
}

function checksum(start: string, secret: Uint8Array): Buffer {
  return createHash('sha256').update(start).update(secret).digest().subarray(0, 4);
}
