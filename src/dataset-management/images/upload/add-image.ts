import { randomUUID } from 'node:crypto';
import type { Context } from '../../../core/context/context.ts';
import { UnknownOutcomeError } from '../../../core/database/db.ts';
import { NotFoundError } from '../../../core/errors.ts';
import { imageTypes, UnusableImageError } from '../../../core/context/imaging.ts';
import type { StagedBlob } from '../../../core/context/storage.ts';
import {
  recallAnswer,
  withIdempotency,
  type IdempotentAnswer,
  type IdempotentWrite,
} from '../../../core/context/with-idempotency.ts';
import { creationWrite } from '../../content/create-once.ts';
import type { Dataset } from '../../datasets/dataset.ts';
import { requireDataset } from '../../datasets/load-dataset.ts';
import { DatasetPublishedError, refusal } from '../../envelope/dataset-errors.ts';
import { parseUuid } from '../../../core/uuid.ts';
import { checkCiphertext } from './check-ciphertext.ts';
import { cleanFileName } from './clean-file-name.ts';
import {
  BlobGoneError,
  dropUnused,
  keepBytes,
  writeBlob,
  type KeptBytes,
} from '../blobs/keep-blob.ts';

export interface AddImageArgs {
  datasetId: string | undefined;
  fileName: string | undefined;
  image: StagedBlob | undefined;
  /** Only read in encrypted workspaces, like width and height. */
  thumbnail: StagedBlob | undefined;
  width: number | undefined;
  height: number | undefined;
  idempotencyKey?: string | null | undefined;
}

/**
 * Adds an image to a draft dataset: in a plain workspace its type and upright size are read and its thumbnail is made here; in an encrypted one everything
 * comes from the client (F213, F214). Returns its id. Neither row nor object is left when it fails. The staged files are gone afterwards.
 * GraphQL `addImage`, REST POST /api/Images/addImage. Throws ValidationError, EncryptionError, NotFoundError, ForbiddenError, IdempotencyError.
 */
export async function addImage(
  ctx: Context,
  args: AddImageArgs,
): Promise<IdempotentAnswer<string>> {
  const staged = [args.image, args.thumbnail].flatMap((blob) => blob ?? []);
  try {
    const datasetId = parseUuid(args.datasetId ?? '');
    if (datasetId === undefined)
      throw refusal('INVALID_ID', 'DatasetId', 'DatasetId is not a UUID');
    const dataset = await requireDataset(ctx, datasetId, 'change');
    const write = imageWrite(ctx, datasetId, args);
    const earlier = await recallAnswer(ctx, write);
    if (earlier) return earlier;
    if (dataset.status === 'PUBLISHED') throw new DatasetPublishedError();
    const name = cleanFileName(args.fileName);
    if (!args.image) throw refusal('IMAGE_REQUIRED', 'Image');
    const content = dataset.encrypted
      ? await readEncrypted(ctx, args, args.image)
      : await readPlain(ctx, args.image);
    staged.push(content.thumbnail);
    // Whoever sent it may have been refused, or gone, while it was read: then nothing is to be stored.
    ctx.signal?.throwIfAborted();
    const image = { ...content, name, image: args.image };
    return await store(ctx, dataset, write, image).catch((error: unknown) => {
      if (error instanceof BlobGoneError) return store(ctx, dataset, write, image);
      throw error;
    });
  } finally {
    await Promise.all(staged.map((blob) => blob.discard()));
  }
}

/** Two uploads are the same when their bytes are. */
function imageWrite(
  ctx: Context,
  datasetId: string,
  { fileName, image, thumbnail, width, height, idempotencyKey }: AddImageArgs,
): IdempotentWrite<string> {
  return creationWrite(ctx, {
    operation: 'addImage',
    key: idempotencyKey,
    request: {
      datasetId,
      fileName,
      image: image?.sha256,
      thumbnail: thumbnail?.sha256,
      width,
      height,
    },
  });
}

interface Content {
  mimeType: string | null;
  width: number;
  height: number;
  thumbnail: StagedBlob;
}

async function readPlain(ctx: Context, image: StagedBlob): Promise<Content> {
  if (image.size > ctx.config.images.maxBytes) throw refusal('IMAGE_TOO_LARGE', 'Image');
  const { type, width, height, thumbnail } = await ctx.imaging
    .inspect(image.path)
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
  };
}

async function readEncrypted(
  ctx: Context,
  args: AddImageArgs,
  image: StagedBlob,
): Promise<Content> {
  return { mimeType: null, ...(await checkCiphertext(ctx, { ...args, image })) };
}

async function store(
  ctx: Context,
  dataset: Dataset,
  write: IdempotentWrite<string>,
  image: Content & { name: string; image: StagedBlob },
): Promise<IdempotentAnswer<string>> {
  const kept: KeptBytes[] = [];
  let outcome: 'committed' | 'rolled back' | 'unknown' = 'rolled back';
  try {
    await keepBytes(ctx, dataset.workspaceId, [image.image, image.thumbnail], kept);
    const stored = await withIdempotency(ctx, write, async (client) => {
      const { rows } = await client.query<{ status: string; encrypted: boolean }>(
        'SELECT d.status, w.encrypted FROM dataset d JOIN workspace w ON w.id = d.workspace_id WHERE d.id = $1 AND d.deleted_at IS NULL AND w.deleted_at IS NULL FOR SHARE',
        [dataset.id],
      );
      const now = rows[0];
      ctx.signal?.throwIfAborted();
      if (!now || now.encrypted !== dataset.encrypted) throw new NotFoundError('Dataset');
      if (now.status === 'PUBLISHED') throw new DatasetPublishedError();
      const time = new Date(ctx.clock());
      const id = randomUUID();
      const blobs: string[] = [];
      for (const bytes of kept) blobs.push(await writeBlob(client, bytes, time));
      await client.query(
        'INSERT INTO image (id, dataset_id, name, width, height, mime_type, blob_id, thumb_blob_id, created_date) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)',
        [
          id,
          dataset.id,
          image.name,
          image.width,
          image.height,
          image.mimeType,
          blobs[0],
          blobs[1],
          time,
        ],
      );
      return id;
    });
    outcome = 'committed';
    return stored;
  } catch (error) {
    if (error instanceof UnknownOutcomeError) {
      outcome = 'unknown';
      ctx.log.warn(
        { requestId: ctx.requestId, keys: kept.flatMap(({ newKey }) => newKey ?? []) },
        'upload kept: whether its commit succeeded is unknown',
      );
    }
    throw error;
  } finally {
    if (outcome !== 'unknown') await dropUnused(ctx, kept, outcome === 'committed');
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield bytes;
}
