import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { UnusableImageError } from '../../core/context/imaging.ts';
import { StoppedError } from '../../core/stop-signal.ts';
import {
  CipherError,
  ForgedImageError,
  GatewayError,
  WrongKeyError,
  type Gateway,
} from '../../sdk/e2ee.ts';
import { UsageError } from '../support/usage-error.ts';
import { readImage, type RemoteDataset } from './remote-dataset.ts';
import { isReadFailure, type FoundImage, type SkippedFile } from './scan-folder.ts';
import type { ImageSender } from './send-image.ts';
import type { UploadJournal } from './upload-journal.ts';

/** What became of the images of a folder. */
export interface UploadOutcome {
  uploaded: number;
  /** Were in the dataset already. */
  present: number;
  failed: SkippedFile[];
  /** Were not begun, or not tried again, because the upload was stopped. */
  left: number;
}

/** Bytes of the largest image that is read into memory, which Node refuses for more. */
const LARGEST = 2 ** 31 - 1;

/** Codes by which a gateway refuses every image, not only the one that it was sent. */
const REFUSES_ALL = ['UNAUTHORIZED', 'FORBIDDEN', 'DATASET_NOT_FOUND', 'DATASET_PUBLISHED'];

/**
 * Uploads images, so many at once, each with its path. What the dataset has under the same path and with the same content is
 * not sent again, whoever has sent it; what was not readable has failed. After `stop`, none is begun any more, nor after a
 * fault that is not of one image, which it throws at the end; UsageError where the gateway refuses every image.
 */
export async function uploadFolder(args: {
  gateway: Gateway;
  datasetId: string;
  dataset: RemoteDataset;
  sender: ImageSender;
  journal: UploadJournal;
  images: readonly FoundImage[];
  unreadable: readonly SkippedFile[];
  parallel: number;
  stop: AbortSignal;
  onImage: () => void;
}): Promise<UploadOutcome> {
  const { images, unreadable, parallel, stop } = args;
  const outcome: UploadOutcome = { uploaded: 0, present: 0, failed: [...unreadable], left: 0 };
  let next = 0;
  const faults: unknown[] = [];
  const work = async (): Promise<void> => {
    for (let image = images[next++]; image !== undefined; image = images[next++]) {
      if (stop.aborted || faults.length > 0) outcome.left++;
      else
        await uploadOne(image, args, outcome).catch((error: unknown) => {
          if (error instanceof StoppedError) outcome.left++;
          else faults.push(error);
        });
      args.onImage();
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  if (faults.length > 0) throw faults[0];
  outcome.failed.sort((a, b) => (a.path < b.path ? -1 : 1));
  return outcome;
}

async function uploadOne(
  image: FoundImage,
  args: Parameters<typeof uploadFolder>[0],
  outcome: UploadOutcome,
): Promise<void> {
  const { dataset, datasetId, gateway, journal, sender } = args;
  const { path } = image;
  const noted = journal.of(image);
  const there = dataset.images.get(path);
  if (noted && there && noted.image === there.id) {
    outcome.present++;
    return;
  }
  const fail = (reason: string): void => void outcome.failed.push({ path, reason });
  if (image.size > LARGEST) return fail('more than 2 GiB are not sent');
  try {
    const bytes = await readFile(image.file);
    const sha256 = hash('sha256', bytes);
    const settle = async (found: typeof there): Promise<boolean> => {
      if (!found) return false;
      if (await sender.isSame(found, sha256)) {
        await journal.note(image, sha256, found.id);
        outcome.present++;
      } else fail('the dataset has another image under this path');
      return true;
    };
    if (await settle(there)) return;
    try {
      const id = await sender.send(image, bytes);
      await journal.note(image, sha256, id);
      outcome.uploaded++;
    } catch (error) {
      // Somebody else was faster, or an answer got lost on its way.
      const taken = error instanceof GatewayError && error.codes.includes('PATH_TAKEN');
      if (!taken || !(await settle(await readImage(gateway, datasetId, path)))) throw error;
    }
  } catch (error) {
    if (error instanceof GatewayError && error.codes.includes('WRONG_KEY_NUMBER'))
      throw new UsageError(
        'the workspace has another key by now: run it again with that key, or with both while it changes',
      );
    if (error instanceof GatewayError && REFUSES_ALL.some((code) => error.codes.includes(code)))
      throw new UsageError(`${gateway.baseUrl}: ${error.message}`);
    if (error instanceof CipherError)
      fail('the image of this path in the dataset can not be opened');
    else if (isOfImage(error)) fail(error.message);
    else throw error;
  }
}

/** Whether a failure says something of one image, and the next one may succeed. */
function isOfImage(error: unknown): error is Error {
  return (
    error instanceof GatewayError ||
    error instanceof WrongKeyError ||
    error instanceof ForgedImageError ||
    error instanceof UnusableImageError ||
    isReadFailure(error)
  );
}
