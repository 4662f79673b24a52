import { randomUUID } from 'node:crypto';
import { tellObject } from '../../../core/context/act.ts';
import type { SignedInContext } from '../../../core/context/context.ts';
import { NotFoundError } from '../../../core/errors.ts';
import { imageTypes, UnusableImageError } from '../../../core/context/imaging.ts';
import type { StagedBlob } from '../../../core/context/storage.ts';
import {
  storedAnswer,
  withIdempotency,
  type IdempotentAnswer,
  type IdempotentWrite,
} from '../../../core/context/with-idempotency.ts';
import { shareDataset } from '../../content/content.sql.ts';
import { creationWrite } from '../../content/create-once.ts';
import type { Dataset } from '../../datasets/dataset.ts';
import { requireDataset } from '../../datasets/load-dataset.ts';
import { DatasetPublishedError, EncryptionError, refusal } from '../../envelope/dataset-errors.ts';
import { parseUuid } from '../../../core/uuid.ts';
import { checkCiphertext } from './check-ciphertext.ts';
import { cleanFileName } from './clean-file-name.ts';
import { cleanPath } from './clean-path.ts';
import { hasLostBytes, keepUpload, restoreBytes } from './keep-upload.ts';
import {
  checkKeyNumber,
  readEncryption,
  type Encryption,
  type EncryptionArgs,
} from './read-encryption.ts';
import { reencryptImage } from './reencrypt-image.ts';
import { isTaken, sameId, samePath } from './same-path.ts';

export interface AddImageArgs {
  datasetId: string | undefined;
  fileName: string | undefined;
  /** Where it was below the folder that is uploaded; only one image of a dataset has it. */
  path?: string | null | undefined;
  image: StagedBlob | undefined;
  /** Only read in encrypted workspaces, like width and height. */
  thumbnail: StagedBlob | undefined;
  width: number | undefined;
  height: number | undefined;
  /** Only read in encrypted workspaces. */
  encryption?: EncryptionArgs;
  idempotencyKey?: string | null | undefined;
}

/**
 * Adds an image to a draft dataset; one that is there with the same path and bytes is the answer to a repeated upload:
 * in a plain workspace its type and upright size are read and its thumbnail is made here; in an encrypted one
 * everything comes from the client (F213, F214). Returns its id. Neither row nor object is left when it fails. The
 * staged files are gone afterwards. GraphQL `addImage`, REST POST /api/Images/addImage. Throws ValidationError,
 * EncryptionError, NotFoundError, ForbiddenError, IdempotencyError.
 */
export async function addImage(
  ctx: SignedInContext,
  args: AddImageArgs,
): Promise<IdempotentAnswer<string>> {
  const staged = [args.image, args.thumbnail].flatMap((blob) => blob ?? []);
  try {
    const datasetId = parseUuid(args.datasetId ?? '');
    if (datasetId === undefined)
      throw refusal(
        'INVALID_ID',
        'DatasetId',
        args.datasetId ? 'DatasetId is not a UUID' : 'DatasetId is required',
      );
    tellObject(ctx, 'Dataset', datasetId);
    const dataset = await requireDataset(ctx, datasetId, 'change');
    if (dataset.encrypted && args.encryption?.replacesSha256 !== undefined)
      return { answer: await reencryptImage(ctx, dataset, args), replayed: false };
    const write = imageWrite(ctx, datasetId, args);
    const path = cleanPath(args.path);
    const same = { datasetId, path, sha256: args.image?.sha256 ?? '' };
    const stored = await storedAnswer(ctx, write);
    const earlier = stored ?? (await samePath(ctx, same));
    if (earlier && !(await hasLostBytes(ctx, earlier.answer)))
      return stored ?? (await keepAnswer(ctx, write, earlier));
    if (!earlier && dataset.status === 'PUBLISHED') throw new DatasetPublishedError();
    const name = cleanFileName(args.fileName);
    if (!args.image) throw refusal('IMAGE_REQUIRED', 'Image');
    const content = dataset.encrypted
      ? await readEncrypted(ctx, args, args.image)
      : await readPlain(ctx, args.image);
    staged.push(content.thumbnail);
    // The request may have timed out, or its client disconnected, during decoding: then nothing is stored.
    ctx.signal?.throwIfAborted();
    const image = { ...content, name, path, image: args.image };
    if (earlier) {
      await restoreBytes(ctx, dataset, earlier.answer, image);
      return stored ?? (await keepAnswer(ctx, write, earlier));
    }
    return await storeImage(ctx, dataset, write, image).catch(async (error: unknown) => {
      const isIdTaken = isTaken(error, 'id');
      const first =
        isIdTaken || isTaken(error, 'path')
          ? ((await samePath(ctx, same)) ?? (await sameId(ctx, same, content.encryption?.imageId)))
          : undefined;
      if (first) return keepAnswer(ctx, write, first);
      throw isIdTaken
        ? refusal('VALIDATION_ERROR', 'ImageId', 'ImageId is that of another image')
        : error;
    });
  } finally {
    await Promise.all(staged.map((blob) => blob.discard()));
  }
}

/** Lets an image that was there already be the answer to the key of this upload, if it has one: no other upload may use it. */
async function keepAnswer(
  ctx: SignedInContext,
  write: IdempotentWrite<string>,
  { answer }: IdempotentAnswer<string>,
): Promise<IdempotentAnswer<string>> {
  if (write.key == null) return { answer, replayed: true };
  const kept = await withIdempotency(ctx, write, () => Promise.resolve(answer));
  return { ...kept, replayed: true };
}

/** Two uploads are the same if their bytes are. */
function imageWrite(
  ctx: SignedInContext,
  datasetId: string,
  { fileName, path, image, thumbnail, width, height, encryption, idempotencyKey }: AddImageArgs,
): IdempotentWrite<string> {
  return creationWrite(ctx, {
    operation: 'addImage',
    key: idempotencyKey,
    request: {
      datasetId,
      fileName,
      path: path ?? undefined,
      image: image?.sha256,
      thumbnail: thumbnail?.sha256,
      width,
      height,
      ...encryption,
    },
  });
}

interface Content {
  mimeType: string | null;
  width: number;
  height: number;
  thumbnail: StagedBlob;
  /** Null for a plain image. */
  encryption: Encryption | null;
}

async function readPlain(ctx: SignedInContext, image: StagedBlob): Promise<Content> {
  if (image.size > ctx.config.images.maxBytes) throw refusal('IMAGE_TOO_LARGE', 'Image');
  const { type, width, height, thumbnail } = await ctx.imaging
    .inspect(image.path, ctx.viewer.userId)
    .catch((error: unknown) => {
      throw error instanceof UnusableImageError
        ? refusal(error.code, 'Image', error.message)
        : error;
    });
  return {
    mimeType: imageTypes[type],
    width,
    height,
    thumbnail: await ctx.storage.stage(once(thumbnail)),
    encryption: null,
  };
}

async function readEncrypted(
  ctx: SignedInContext,
  args: AddImageArgs,
  image: StagedBlob,
): Promise<Content> {
  const encryption = readEncryption(args.encryption);
  return { mimeType: null, encryption, ...(await checkCiphertext(ctx, { ...args, image })) };
}

type Upload = Content & { name: string; path: string | null; image: StagedBlob };

function storeImage(
  ctx: SignedInContext,
  dataset: Dataset,
  write: IdempotentWrite<string>,
  image: Upload,
): Promise<IdempotentAnswer<string>> {
  return keepUpload(ctx, dataset, image, (writeBlobs) =>
    withIdempotency(ctx, write, async ({ db }) => {
      const now = await shareDataset.first(db, {
        id: dataset.id,
        userId: ctx.viewer.userId,
      });
      ctx.signal?.throwIfAborted();
      if (!now) throw new NotFoundError('Dataset');
      // It has become so since.
      if (now.encrypted !== dataset.encrypted) throw new EncryptionError('NOT_ENCRYPTED_PAYLOAD');
      if (now.status === 'PUBLISHED') throw new DatasetPublishedError();
      const time = new Date(ctx.clock());
      const { name, path, width, height, mimeType, encryption } = image;
      if (encryption) checkKeyNumber(now, encryption.keyNumber);
      const { id } = await db.prisma.image.create({
        data: {
          id: encryption?.imageId ?? randomUUID(),
          datasetId: dataset.id,
          name,
          path,
          width,
          height,
          mimeType,
          keyNumber: now.keyNumber,
          proof: encryption?.proof ?? null,
          ...(await writeBlobs(db, time)),
          createdDate: time,
        },
        select: { id: true },
      });
      return id;
    }),
  );
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield bytes;
}
