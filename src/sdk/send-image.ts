import { encrypt } from './crypto/cipher.ts';
import { proveImage } from './crypto/image-proof.ts';
import type { WorkspaceKey } from './crypto/key.ts';
import { sendForData, type Gateway } from './gateway.ts';

/** An image to encrypt and send. */
export interface ImageToSend {
  workspaceId: string;
  datasetId: string;
  /** Chosen by the client, because the proof names it. */
  imageId: string;
  fileName: string;
  /** Where it was below the folder that is uploaded. */
  path?: string | undefined;
  /** Plain. */
  image: Uint8Array | Blob;
  thumbnail: Uint8Array;
  width: number;
  height: number;
  key: { number: number; key: WorkspaceKey };
  /** SHA-256 of the same image's ciphertext under the previous key, which this one replaces. */
  replacesSha256?: string;
}

/** Encrypts an image and its thumbnail, proves that they belong together and to this place, and sends them; returns the id. */
export async function sendImage(gateway: Gateway, send: ImageToSend): Promise<string> {
  const { workspaceId, imageId, key } = send;
  const image = await encrypt(key.key, send.image);
  const thumbnail = await encrypt(key.key, send.thumbnail);
  const [sha256, thumbnailSha256] = [await sha256Of(image), await sha256Of(thumbnail)];
  const form = new FormData();
  form.set('DatasetId', send.datasetId);
  form.set('FileName', send.fileName);
  if (send.path !== undefined) form.set('Path', send.path);
  form.set('Width', String(send.width));
  form.set('Height', String(send.height));
  form.set('ImageId', imageId);
  form.set('KeyNumber', String(key.number));
  const place = { workspaceId, imageId, sha256, thumbnailSha256 };
  form.set('Proof', await proveImage(key.key, place));
  if (send.replacesSha256 !== undefined) form.set('ReplacesSha256', send.replacesSha256);
  form.set('Image', new Blob([image]), 'image');
  form.set('Thumbnail', new Blob([thumbnail]), 'thumbnail');
  return String(await sendForData(gateway, '/api/Images/addImage', { method: 'POST', body: form }));
}

/** SHA-256 of bytes in memory, hexadecimal. */
export async function sha256Of(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
