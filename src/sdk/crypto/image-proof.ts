import type { WorkspaceKey } from './key.ts';
import { macKey } from './mac-key.ts';

const PURPOSE = 'trivium image proof';

/** What a proof binds to each other: an image's place and its ciphertext. */
export interface ProvenImage {
  workspaceId: string;
  imageId: string;
  /** SHA-256 of the ciphertext of the image, hexadecimal. */
  sha256: string;
  /** SHA-256 of the ciphertext of its thumbnail. */
  thumbnailSha256: string;
}

/**
 * Makes the proof of an encrypted image: that a holder of the key put this ciphertext in this place. CBC alone notices
 * neither changed nor exchanged ciphertext. Base64 of an HMAC-SHA-256, 44 characters; the gateway keeps it and can't make one.
 */
export async function proveImage(key: WorkspaceKey, image: ProvenImage): Promise<string> {
  const mac = await crypto.subtle.sign('HMAC', await macKey(key, PURPOSE), textOf(image));
  return btoa(String.fromCharCode(...new Uint8Array(mac)));
}

/** Whether the proof is that of the image under this key. */
export async function isProven(
  key: WorkspaceKey,
  image: ProvenImage,
  proof: string,
): Promise<boolean> {
  if (!/^[A-Za-z0-9+/]{43}=$/.test(proof)) return false;
  const given = Uint8Array.from(atob(proof), (character) => character.charCodeAt(0));
  return crypto.subtle.verify('HMAC', await macKey(key, PURPOSE), given, textOf(image));
}

function textOf({
  workspaceId,
  imageId,
  sha256,
  thumbnailSha256,
}: ProvenImage): Uint8Array<ArrayBuffer> {
  const lines = [PURPOSE, '1', workspaceId, imageId, sha256, thumbnailSha256];
  return new TextEncoder().encode(`${lines.join('\n').toLowerCase()}\n`);
}
