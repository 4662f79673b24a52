import type { WorkspaceKey } from './key.ts';
import { macKey } from './mac-key.ts';

const PURPOSE = 'trivium manifest';

/**
 * Proof that encrypted images are the ones that key holders uploaded: CBC alone notices neither changed nor exchanged
 * ciphertext.
 */
export interface Manifest {
  format: 'trivium-manifest-1';
  workspaceId: string;
  /** Image id → base64 of HMAC-SHA-256 over workspace id, image id and ciphertext. */
  images: Record<string, string>;
}

/** Adds an image to a manifest that the client keeps. */
export async function addToManifest(
  manifest: Manifest,
  key: WorkspaceKey,
  imageId: string,
  encrypted: Uint8Array,
): Promise<Manifest> {
  const mac = await crypto.subtle.sign(
    'HMAC',
    await macKey(key, PURPOSE),
    signedBytes(manifest.workspaceId, imageId, encrypted),
  );
  return {
    ...manifest,
    images: { ...manifest.images, [imageId]: btoa(String.fromCharCode(...new Uint8Array(mac))) },
  };
}

/** Is the ciphertext the one that was added under this id? */
export async function isInManifest(
  manifest: Manifest,
  key: WorkspaceKey,
  imageId: string,
  encrypted: Uint8Array,
): Promise<boolean> {
  const mac = Object.hasOwn(manifest.images, imageId) ? manifest.images[imageId] : undefined;
  if (mac === undefined) return false;
  const given = Uint8Array.from(atob(mac), (character) => character.charCodeAt(0));
  return crypto.subtle.verify(
    'HMAC',
    await macKey(key, PURPOSE),
    given,
    signedBytes(manifest.workspaceId, imageId, encrypted),
  );
}

function signedBytes(
  workspaceId: string,
  imageId: string,
  encrypted: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${workspaceId.toLowerCase()}\n${imageId.toLowerCase()}\n`);
  const whole = new Uint8Array(head.byteLength + encrypted.byteLength);
  whole.set(head);
  whole.set(encrypted, head.byteLength);
  return whole;
}
