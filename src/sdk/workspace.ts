import { assertKey, WrongKeyError } from './assert-key.ts';
import { checksum } from './crypto/checksum.ts';
import { decrypt, encrypt } from './crypto/cipher.ts';
import { failureOf, GatewayError, send, sendForData, type Gateway } from './gateway.ts';
import type { WorkspaceKey } from './crypto/key.ts';
import { makeThumbnail, type Thumbnail } from './thumbnail.ts';

const VERIFY =
  'mutation VerifyKey($input: VerifyWorkspaceKeyInput!) { verifyWorkspaceKey(input: $input) { __typename ... on VerifyWorkspaceKeyPayload { result } ... on UserError { message code } } }';
const WORKSPACE = 'query WorkspaceId($uuid: UUID!) { workspace(uuid: $uuid) { id encrypted } }';

export interface EncryptedUpload extends Partial<Thumbnail> {
  datasetId: string;
  fileName: string;
  image: Uint8Array | Blob;
}

/**
 * An encrypted workspace whose key has been checked; there is no other way to get one, so nothing is ever uploaded
 * under a wrong key.
 */
export interface OpenedWorkspace {
  readonly workspaceId: string;
  /** Encrypts an image and its thumbnail, uploads both and returns the image's id. In a browser the thumbnail is made here. */
  upload(upload: EncryptedUpload): Promise<string>;
  /** Downloads and decrypts an image. */
  download(imageId: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Downloads and decrypts a thumbnail. */
  downloadThumbnail(imageId: string): Promise<Uint8Array<ArrayBuffer>>;
}

/** Marks an empty workspace as encrypted with this key; only the checksum is sent. There is no way back. */
export async function enableEncryption(
  gateway: Gateway,
  workspaceId: string,
  key: WorkspaceKey,
): Promise<void> {
  await sendJson(gateway, '/api/Workspaces/enableEncryption', {
    workspaceId,
    checksum: await checksum(key, workspaceId),
  });
}

/** Opens an encrypted workspace. Throws WrongKeyError unless the gateway confirms the key's checksum. */
export async function openWorkspace(
  gateway: Gateway,
  workspaceId: string,
  key: WorkspaceKey,
): Promise<OpenedWorkspace> {
  await assertKey(key, workspaceId, (sum) => verifyChecksum(gateway, workspaceId, sum));
  const fetchDecrypted = async (
    path: string,
    imageId: string,
  ): Promise<Uint8Array<ArrayBuffer>> => {
    const response = await send(gateway, `${path}?imageId=${encodeURIComponent(imageId)}`, {});
    if (!response.ok) throw failureOf(response, await response.json().catch(() => undefined));
    return decrypt(key, await response.blob());
  };
  return {
    workspaceId,
    async upload({ datasetId, fileName, image, thumbnail, width, height }) {
      const blob = image instanceof Blob ? image : new Blob([Uint8Array.from(image)]);
      const small =
        thumbnail && width !== undefined && height !== undefined
          ? { thumbnail, width, height }
          : await makeThumbnail(blob);
      const form = new FormData();
      form.set('DatasetId', datasetId);
      form.set('FileName', fileName);
      form.set('Width', String(small.width));
      form.set('Height', String(small.height));
      form.set('Image', new Blob([await encrypt(key, blob)]), 'image');
      form.set('Thumbnail', new Blob([await encrypt(key, small.thumbnail)]), 'thumbnail');
      return String(
        await sendForData(gateway, '/api/Images/addImage', { method: 'POST', body: form }),
      );
    },
    download: (imageId) => fetchDecrypted('/api/Images/download', imageId),
    downloadThumbnail: (imageId) => fetchDecrypted('/api/Images/downloadThumb', imageId),
  };
}

async function verifyChecksum(
  gateway: Gateway,
  workspaceId: string,
  sum: string,
): Promise<'MATCH' | 'MISMATCH'> {
  const found = await query(gateway, WORKSPACE, { uuid: workspaceId });
  const workspace = at(found, 'workspace');
  const id = at(workspace, 'id');
  if (typeof id !== 'string')
    throw new GatewayError('Workspace not found', ['WORKSPACE_NOT_FOUND']);
  if (at(workspace, 'encrypted') === false)
    throw new WrongKeyError('the workspace is not encrypted: no key belongs to it');
  const answer = at(
    await query(gateway, VERIFY, { input: { workspaceId: id, checksum: sum } }),
    'verifyWorkspaceKey',
  );
  const result = at(answer, 'result');
  if (result === 'MATCH' || result === 'MISMATCH') return result;
  throw new GatewayError(String(at(answer, 'message')), [String(at(answer, 'code'))]);
}

async function query(
  gateway: Gateway,
  text: string,
  variables: Record<string, unknown>,
): Promise<unknown> {
  const response = await send(gateway, '/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: text, variables }),
  });
  const body: unknown = await response.json().catch(() => undefined);
  const errors = at(body, 'errors');
  if (Array.isArray(errors))
    throw new GatewayError(
      String(at(errors[0], 'message')),
      errors.map((error) => String(at(at(error, 'extensions'), 'code'))),
    );
  return at(body, 'data');
}

async function sendJson(
  gateway: Gateway,
  path: string,
  body: Record<string, unknown>,
): Promise<void> {
  await sendForData(gateway, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** A property of an answer, or undefined. */
function at(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}
