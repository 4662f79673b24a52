import { exportKey, type WorkspaceKey } from './key.ts';

/**
 * A key for HMAC-SHA-256, derived from the workspace key for one purpose (HKDF), so that no key serves two algorithms or
 * purposes.
 */
export async function macKey(key: WorkspaceKey, purpose: string): Promise<WorkspaceKey> {
  const base = await crypto.subtle.importKey(
    'raw',
    Uint8Array.from(await exportKey(key)),
    'HKDF',
    false,
    ['deriveKey'],
  );
  const derivation = {
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(32),
    info: new TextEncoder().encode(purpose),
  };
  return crypto.subtle.deriveKey(
    derivation,
    base,
    { name: 'HMAC', hash: 'SHA-256', length: 256 },
    false,
    ['sign', 'verify'],
  );
}
