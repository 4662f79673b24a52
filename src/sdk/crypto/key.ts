/** A workspace key (a CryptoKey): AES with 256 bits, for CBC. It stays with the client; nothing here sends it anywhere. */
export type WorkspaceKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** Makes a new random key. */
export function makeKey(): Promise<WorkspaceKey> {
  return crypto.subtle.generateKey({ name: 'AES-CBC', length: 256 }, true, ['encrypt', 'decrypt']);
}

/** Imports a stored key: 32 bytes, or their 64 hexadecimal digits, or their base64 text. */
export function importKey(key: Uint8Array | string): Promise<WorkspaceKey> {
  const raw = typeof key === 'string' ? bytesOf(key) : key;
  if (raw.byteLength !== 32) throw new TypeError('a workspace key has 32 bytes');
  return crypto.subtle.importKey('raw', Uint8Array.from(raw), 'AES-CBC', true, [
    'encrypt',
    'decrypt',
  ]);
}

/** Exports the 32 bytes of a key; store them where only its owners can read them. */
export async function exportKey(key: WorkspaceKey): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.exportKey('raw', key));
}

function bytesOf(text: string): Uint8Array {
  if (/^[0-9a-f]{64}$/i.test(text))
    return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  if (!/^[A-Za-z0-9+/]{43}=$/.test(text))
    throw new TypeError('a workspace key is 64 hexadecimal digits or 44 characters of base64');
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
