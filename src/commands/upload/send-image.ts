import { hash } from 'node:crypto';
import { basename } from 'node:path';
import { createImageReader } from '../../imaging/create-image-reader.ts';
import type { Gateway } from '../../sdk/gateway.ts';
import { sendPlainImage } from '../../sdk/send-plain-image.ts';
import { openWorkspace, type OpenedWorkspace } from '../../sdk/workspace.ts';
import { KEY_VARIABLE, readKeys } from '../support/read-keys.ts';
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

/**
 * Sends images as they are, or encrypted where the workspace is; with both keys while it is moved from one to the other. Throws
 * UsageError without a key, WrongKeyError for a wrong one.
 */
export async function openSender(
  gateway: Gateway,
  datasetId: string,
  dataset: RemoteDataset,
  keyFile: string | undefined,
): Promise<ImageSender> {
  if (!dataset.encrypted) return plainSender(gateway, datasetId);
  const keys = await readKeys(keyFile === undefined ? [] : [keyFile]);
  if (keys.length === 0)
    throw new UsageError(
      `the workspace is encrypted: set ${KEY_VARIABLE} to its key, or give --key-file`,
    );
  return encryptedSender(await openWorkspace(gateway, dataset.workspaceId, keys), datasetId);
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
      return hash('sha256', await workspace.download(id)) === sha256;
    },
    async send({ path, file }, bytes) {
      const { thumbnail, width, height } = await reader.inspect(file);
      const small = { thumbnail: Uint8Array.from(thumbnail), width, height };
      const fileName = basename(path);
      return workspace.upload({ datasetId, fileName, path, image: bytes, ...small });
    },
  };
}
