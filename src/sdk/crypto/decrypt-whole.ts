import { decrypt } from './cipher.ts';
import { CipherError } from './decrypt-stream.ts';
import type { WorkspaceKey } from './key.ts';

/** Decrypts a whole message as `decrypt` does. Throws CipherError when its length or its padding is wrong. */
export async function decryptWhole(
  key: WorkspaceKey,
  encrypted: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  return decrypt(key, encrypted).catch((cause: unknown) => {
    throw new CipherError('it is not what this key encrypted', { cause });
  });
}
