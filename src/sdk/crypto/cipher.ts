import type { WorkspaceKey } from './key.ts';

const IV_BYTES = 16;

/**
 * Encrypts with AES-256-CBC under a fresh random vector; the result is the 16 bytes of the vector and then the
 * ciphertext (F232).
 */
export async function encrypt(
  key: WorkspaceKey,
  data: Uint8Array | Blob,
): Promise<Uint8Array<ArrayBuffer>> {
  return encryptUnder(key, data, crypto.getRandomValues(new Uint8Array(IV_BYTES)));
}

/**
 * Decrypts the result of `encrypt` or of the documented scheme. Throws when the padding is wrong; a wrong key passes
 * that check once in about 256 times.
 */
export async function decrypt(
  key: WorkspaceKey,
  encrypted: Uint8Array | Blob,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await bytesOf(encrypted);
  if (bytes.byteLength < 2 * IV_BYTES || bytes.byteLength % IV_BYTES !== 0)
    throw new TypeError('not encrypted data: its length is not that of a vector and whole blocks');
  const plain = await crypto.subtle.decrypt(
    { name: 'AES-CBC', iv: bytes.subarray(0, IV_BYTES) },
    key,
    bytes.subarray(IV_BYTES),
  );
  return new Uint8Array(plain);
}

/**
 * Encrypts under a given vector. A vector must never be used twice with one key: this is for the checksum and for test
 * vectors only.
 */
export async function encryptUnder(
  key: WorkspaceKey,
  data: Uint8Array | Blob,
  iv: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const ciphertext = await crypto.subtle.encrypt({ name: 'AES-CBC', iv }, key, await bytesOf(data));
  const whole = new Uint8Array(iv.byteLength + ciphertext.byteLength);
  whole.set(iv);
  whole.set(new Uint8Array(ciphertext), iv.byteLength);
  return whole;
}

async function bytesOf(data: Uint8Array | Blob): Promise<Uint8Array<ArrayBuffer>> {
  return data instanceof Blob ? new Uint8Array(await data.arrayBuffer()) : Uint8Array.from(data);
}
