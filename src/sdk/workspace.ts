import { WrongKeyError } from './assert-key.ts';
import { checksum } from './crypto/checksum.ts';
import { decryptWhole } from './crypto/decrypt-whole.ts';
import type { WorkspaceKey } from './crypto/key.ts';
import { failureOf, jsonOf, send, sendForData, unbroken, type Gateway } from './gateway.ts';
import { checkProof } from './check-proof.ts';
import { identifyKey, readWorkspace } from './identify-key.ts';
import { sendImage } from './send-image.ts';
import { makeThumbnail, type Thumbnail } from './thumbnail.ts';

export interface EncryptedUpload extends Partial<Thumbnail> {
  datasetId: string;
  fileName: string;
  /** Where the file was below the folder that is uploaded, relative, with slashes. */
  path?: string;
  image: Uint8Array | Blob;
}

/**
 * An encrypted workspace whose key has been checked; there is no other way to get one, so nothing is ever uploaded
 * under a wrong key.
 */
export interface OpenedWorkspace {
  readonly workspaceId: string;
  /**
   * Encrypts an image and its thumbnail, uploads both with a proof, and returns the image's id. In a browser the
   * thumbnail is made here.
   */
  upload(upload: EncryptedUpload): Promise<string>;
  /**
   * Downloads and decrypts an image. Throws ForgedImageError if it has a proof that does not hold, CipherError if its key does
   * not open it.
   */
  download(imageId: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Downloads and decrypts a thumbnail, and throws the same. */
  downloadThumbnail(imageId: string): Promise<Uint8Array<ArrayBuffer>>;
}

/** Marks an empty workspace as encrypted with this key; only the checksum is sent. There is no way back. */
export async function enableEncryption(
  gateway: Gateway,
  workspaceId: string,
  key: WorkspaceKey,
): Promise<void> {
  await sendForData(gateway, '/api/Workspaces/enableEncryption', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ workspaceId, checksum: await checksum(key, workspaceId) }),
  });
}

/**
 * Opens an encrypted workspace with its key, or with both keys while it is moved from one to the other. Throws
 * WrongKeyError unless the gateway confirms the checksum of each.
 */
export async function openWorkspace(
  gateway: Gateway,
  workspaceId: string,
  keys: WorkspaceKey | readonly WorkspaceKey[],
): Promise<OpenedWorkspace> {
  const state = await readWorkspace(gateway, workspaceId);
  const byNumber = new Map<number, WorkspaceKey>();
  for (const key of 'algorithm' in keys ? [keys] : keys)
    byNumber.set((await identifyKey(gateway, state, workspaceId, key)).number, key);
  const fetchDecrypted = async (
    path: string,
    imageId: string,
  ): Promise<Uint8Array<ArrayBuffer>> => {
    const { bytes, keyNumber, proof } = await fetchEncrypted(gateway, path, imageId);
    const key = keyOf(byNumber, keyNumber ?? state.keyNumber);
    if (proof !== null) await checkProof(key, { workspaceId, imageId, path, bytes, proof });
    return decryptWhole(key, bytes);
  };
  return {
    workspaceId,
    async upload({ datasetId, fileName, path, image, thumbnail, width, height }) {
      const blob = image instanceof Blob ? image : new Blob([Uint8Array.from(image)]);
      const small =
        thumbnail && width !== undefined && height !== undefined
          ? { thumbnail, width, height }
          : await makeThumbnail(blob);
      const number = state.keyNumber;
      const key = { number, key: keyOf(byNumber, number) };
      const imageId = crypto.randomUUID();
      const place = { workspaceId, datasetId, imageId, fileName, path };
      return sendImage(gateway, { ...place, ...small, image: blob, key });
    },
    download: (imageId) => fetchDecrypted('/api/Images/download', imageId),
    downloadThumbnail: (imageId) => fetchDecrypted('/api/Images/downloadThumb', imageId),
  };
}

/** Downloads ciphertext, and the number of the key that it names. Throws GatewayError. */
export async function fetchEncrypted(
  gateway: Gateway,
  path: string,
  imageId: string,
): Promise<{
  bytes: Uint8Array<ArrayBuffer>;
  keyNumber: number | undefined;
  proof: string | null;
}> {
  const address = `${path}?imageId=${encodeURIComponent(imageId)}`;
  // What a browser has kept of before may be under another key.
  const init: RequestInit & { cache: 'no-cache' } = { cache: 'no-cache' };
  const response = await send(gateway, address, init);
  if (!response.ok) throw failureOf(response, await jsonOf(response));
  const number = response.headers.get('x-content-key');
  return {
    bytes: new Uint8Array(await unbroken(response.arrayBuffer())),
    keyNumber: number === null ? undefined : Number(number),
    proof: response.headers.get('x-content-proof'),
  };
}

function keyOf(keys: ReadonlyMap<number, WorkspaceKey>, number: number): WorkspaceKey {
  const key = keys.get(number);
  if (!key) throw new WrongKeyError(`this needs the workspace's key number ${number}`);
  return key;
}
