import { isProven } from './crypto/image-proof.ts';
import type { WorkspaceKey } from './crypto/key.ts';
import { sha256Of } from './send-image.ts';

/** What was downloaded is not what a holder of the key put in this place. */
export class ForgedImageError extends Error {
  override name = 'ForgedImageError';

  constructor(imageId: string) {
    super(`image ${imageId} is not what a holder of the key put in its place`);
  }
}

/**
 * Checks the proof that came with a download (`X-Content-Proof`: the proof, then the SHA-256 of file and thumbnail). Throws
 * ForgedImageError unless it was made under the key, for this image and exactly these bytes.
 */
export async function checkProof(
  key: WorkspaceKey,
  download: {
    workspaceId: string;
    imageId: string;
    /** Of the download, which says whether it is the thumbnail. */
    path: string;
    bytes: Uint8Array<ArrayBuffer>;
    proof: string;
  },
): Promise<void> {
  const { workspaceId, imageId, path, bytes } = download;
  const [proof = '', sha256 = '', thumbnailSha256 = ''] = download.proof.split(' ');
  const found = await sha256Of(bytes);
  const isListed = found === (path.endsWith('Thumb') ? thumbnailSha256 : sha256);
  const place = { workspaceId, imageId, sha256, thumbnailSha256 };
  if (!isListed || !(await isProven(key, place, proof))) throw new ForgedImageError(imageId);
}
