import type { WorkspaceKey } from './key.ts';

const BLOCK = 16;
/** Bytes that are decrypted at once. */
const PIECE = 256 * 1024;

/** What was to be decrypted is no ciphertext under this key. */
export class CipherError extends Error {
  override name = 'CipherError';
}

/**
 * Decrypts what `encrypt` made, piece by piece: the vector, then AES-256-CBC. WebCrypto decrypts whole messages only, so
 * a block is put behind each piece that decrypts to padding, which it removes. Throws CipherError at the end when length
 * or padding are wrong; a wrong key passes once in about 256 times.
 */
export async function* decryptPieces(
  key: WorkspaceKey,
  encrypted: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let iv: Uint8Array<ArrayBuffer> | undefined;
  let held = new Uint8Array(0);
  for await (const piece of encrypted) {
    held = joined(held, piece);
    if (iv === undefined && held.length >= BLOCK) [iv, held] = split(held, BLOCK);
    // The last block is kept back: it has the true padding.
    while (iv !== undefined && held.length > PIECE + BLOCK) {
      let blocks: Uint8Array<ArrayBuffer>;
      [blocks, held] = split(held, PIECE);
      yield await decryptMiddle(key, iv, blocks);
      iv = blocks.slice(-BLOCK);
    }
  }
  if (iv === undefined || held.length === 0 || held.length % BLOCK !== 0)
    throw new CipherError('its length is not that of a vector and whole blocks');
  const last = await crypto.subtle
    .decrypt({ name: 'AES-CBC', iv }, key, held)
    .catch((error: unknown) => {
      throw new CipherError('it is not what this key encrypted', { cause: error });
    });
  yield new Uint8Array(last);
}

async function decryptMiddle(
  key: WorkspaceKey,
  iv: Uint8Array<ArrayBuffer>,
  blocks: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const padding = await crypto.subtle.encrypt(
    { name: 'AES-CBC', iv: blocks.slice(-BLOCK) },
    key,
    new Uint8Array(0),
  );
  const whole = joined(blocks, new Uint8Array(padding));
  return new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-CBC', iv }, key, whole));
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}

function split(
  bytes: Uint8Array<ArrayBuffer>,
  at: number,
): [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>] {
  return [bytes.slice(0, at), bytes.slice(at)];
}
