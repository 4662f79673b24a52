import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { createImageReader } from '../../imaging/create-image-reader.ts';
import type { Gateway } from '../../sdk/gateway.ts';
import { importKey } from '../../sdk/crypto/key.ts';
import { sendPlainImage } from '../../sdk/send-plain-image.ts';
import { openWorkspace, type OpenedWorkspace } from '../../sdk/workspace.ts';
import { UsageError } from '../support/usage-error.ts';
import type { RemoteDataset, RemoteImage } from './remote-dataset.ts';
import type { FoundImage } from './scan-folder.ts';

/** How images get into a dataset. */
export interface ImageSender {
  /** Uploads an image; its id. Throws GatewayError. */
  send(image: FoundImage, bytes: Buffer): Promise<string>;
  /** Whether an image of the dataset has this content. */
  isSame(there: RemoteImage, sha256: string): Promise<boolean>;
}

/** Pixels and seconds of the images of which a thumbnail is made here: those of the gateway's defaults. */
const READER = {
  maxPixels: 268_402_689,
  maxBufferedPixels: 67_108_864,
  timeoutSeconds: 60,
  parallel: 2,
};

/** Sends images as they are, or encrypted where the workspace is. Throws UsageError without a key, WrongKeyError for a wrong one. */
export async function openSender(
  gateway: Gateway,
  datasetId: string,
  dataset: RemoteDataset,
  keyFile: string | undefined,
): Promise<ImageSender> {
  if (!dataset.encrypted) return plainSender(gateway, datasetId);
  const text =
    keyFile === undefined ? process.env['TRIVIUM_WORKSPACE_KEY'] : await readFile(keyFile);
  if (text === undefined)
    throw new UsageError(
      'the workspace is encrypted: set TRIVIUM_WORKSPACE_KEY to its key, or give --key-file',
    );
  const key = await importKey(keyOf(text)).catch(() => {
    throw new UsageError('a workspace key is 32 bytes, 64 hexadecimal digits or their base64');
  });
  return encryptedSender(await openWorkspace(gateway, dataset.workspaceId, key), datasetId);
}

/** A file of 32 bytes is the key itself. */
function keyOf(text: string | Buffer): string | Uint8Array {
  return typeof text !== 'string' && text.length === 32 ? text : text.toString('utf8').trim();
}

function plainSender(gateway: Gateway, datasetId: string): ImageSender {
  return {
    isSame: (there, sha256) => Promise.resolve(there.sha256 === sha256),
    send: ({ path }, bytes) =>
      sendPlainImage(gateway, { datasetId, fileName: basename(path), path, bytes }),
  };
}

function encryptedSender(workspace: OpenedWorkspace, datasetId: string): ImageSender {
  const reader = createImageReader(READER);
  return {
    async isSame({ id }, sha256) {
      const bytes = await workspace.download(id);
      return createHash('sha256').update(bytes).digest('hex') === sha256;
    },
    async send({ path, file }, bytes) {
      const { thumbnail, width, height } = await reader.inspect(file);
      const small = { thumbnail: Uint8Array.from(thumbnail), width, height };
      const fileName = basename(path);
      return workspace.upload({ datasetId, fileName, path, image: bytes, ...small });
    },
  };
}
