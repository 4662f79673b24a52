import { CipherError } from './crypto/decrypt-stream.ts';
import { decryptWhole } from './crypto/decrypt-whole.ts';
import { isProven } from './crypto/image-proof.ts';
import type { WorkspaceKey } from './crypto/key.ts';
import { GatewayError, type Gateway } from './gateway.ts';
import type { ListedImage } from './list-images.ts';
import { sendImage, sha256Of } from './send-image.ts';
import { fetchEncrypted } from './workspace.ts';

/** A key and its number in the workspace. */
export interface NumberedKey {
  key: WorkspaceKey;
  number: number;
}

/** An image that goes from one key to another. */
export interface Move {
  workspaceId: string;
  image: ListedImage;
  from: NumberedKey;
  to: NumberedKey;
}

/** Somebody else was faster, even to the end of the move, or the image is gone: nothing is left to do. */
const OVER = ['IMAGE_CHANGED', 'IMAGE_NOT_FOUND', 'DATASET_NOT_FOUND', 'NO_ROTATION'];

/**
 * Encrypts an image and its thumbnail anew, and replaces them. Returns undefined when done, null where nothing was left to
 * do, and else why the image stays as it is: it is never replaced by something that its uploader did not send.
 */
export async function moveImage(
  gateway: Gateway,
  { workspaceId, image, from, to }: Move,
): Promise<string | null | undefined> {
  try {
    const whole = await fetchEncrypted(gateway, '/api/Images/download', image.id);
    const small = await fetchEncrypted(gateway, '/api/Images/downloadThumb', image.id);
    if (whole.keyNumber === to.number || small.keyNumber === to.number) return null;
    const sha256 = await sha256Of(whole.bytes);
    const thumbnailSha256 = await sha256Of(small.bytes);
    const place = { workspaceId, imageId: image.id, sha256, thumbnailSha256 };
    if (image.proof !== undefined && !(await isProven(from.key, place, image.proof)))
      return 'its proof does not hold: no holder of the old key put these bytes in its place';
    await sendImage(gateway, {
      workspaceId,
      datasetId: image.datasetId,
      imageId: image.id,
      fileName: image.name,
      image: await decryptWhole(from.key, whole.bytes),
      thumbnail: await decryptWhole(from.key, small.bytes),
      width: image.width,
      height: image.height,
      key: to,
      replacesSha256: sha256,
    });
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError)
      return error.codes.some((code) => OVER.includes(code)) ? null : error.message;
    if (error instanceof CipherError) return 'the old key does not open it';
    throw error;
  }
}
