import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import {
  BlobMissingError,
  isBlobKey,
  StorageBusyError,
  StorageMissingError,
  type BlobStat,
  type BlobStore,
  type ByteRange,
} from '../core/context/storage.ts';
import { stageBytes } from './stage.ts';
import { findLeftovers, tidyStaged } from './staged-files.ts';

const PART_BYTES = 8 * 1024 * 1024;
/** Parts that an object may have. */
const MOST_PARTS = 10_000;
/**
 * A server that is silent for this long, in milliseconds, counts as unreachable; each request is sent at most twice.
 */
const CONNECT_WITHIN = 2_000;
const ANSWER_WITHIN = 10_000;

export interface S3Options {
  bucket: string;
  /** Put in front of every key, without slashes at its ends; empty for none. */
  prefix: string;
  region: string;
  /** Only for a server other than AWS; such servers are addressed by path. */
  endpoint?: string;
  /** A local folder for uploads in progress. */
  stagingFolder: string;
  /** By default the SDK's usual sources: environment, shared file, instance role. */
  credentials?: { accessKeyId: string; secretAccessKey: string };
}

/**
 * Stores blobs as objects of an S3-compatible bucket. Larger ones are uploaded in parts, and the parts of a failed
 * upload are removed.
 */
export function openS3Store(options: S3Options): BlobStore {
  const { bucket: Bucket, prefix, region, endpoint, stagingFolder, credentials } = options;
  const client = new S3Client({
    region,
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(credentials ? { credentials } : {}),
    maxAttempts: 2,
    requestHandler: { connectionTimeout: CONNECT_WITHIN, socketTimeout: ANSWER_WITHIN },
    // Servers other than AWS often don't know the newer trailing checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  // Outside of the attempts.
  client.middlewareStack.add(
    (next) => (sent) =>
      next(sent).catch((error: unknown) => {
        throw explainAnswer(error);
      }),
    { step: 'initialize', name: 'explainAnswer' },
  );
  const head = prefix === '' ? '' : `${prefix}/`;
  const keyOf = (key: string): string => {
    if (!isBlobKey(key)) throw new TypeError(`not a storage key: ${key}`);
    return head + key;
  };
  return {
    stage: (body, stageOptions) => stageBytes(stagingFolder, body, stageOptions),
    leftovers: () => findLeftovers(stagingFolder, Date.now()),
    tidy: () => tidyStaged(stagingFolder, Date.now()),
    async put(staged, key) {
      const Body = createReadStream(staged.path);
      // A current reader sees the error too; once there is none, an unhandled error event would end the process.
      Body.on('error', () => undefined);
      try {
        const Key = keyOf(key);
        await new Upload({
          client,
          partSize: Math.max(PART_BYTES, Math.ceil(staged.size / MOST_PARTS)),
          queueSize: 2,
          params: { Bucket, Key, Body, ContentType: 'application/octet-stream' },
        }).done();
      } finally {
        Body.destroy();
        await staged.discard();
      }
    },
    get: (key, range) => readObject(client, { Bucket, Key: keyOf(key), key, range }),
    async readInto(key, target, position) {
      let filled = 0;
      for await (const chunk of readObject(client, {
        Bucket,
        Key: keyOf(key),
        key,
        range: { start: position, end: position + target.length - 1 },
      })) {
        target.set(chunk, filled);
        filled += chunk.byteLength;
      }
      return filled;
    },
    async stat(key) {
      try {
        const found = await client.send(new HeadObjectCommand({ Bucket, Key: keyOf(key) }));
        return {
          key,
          size: found.ContentLength ?? 0,
          modifiedAt: found.LastModified ?? new Date(0),
        };
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    async delete(key) {
      await client.send(new DeleteObjectCommand({ Bucket, Key: keyOf(key) }));
    },
    async check() {
      await client.send(new HeadBucketCommand({ Bucket })).catch((error: unknown) => {
        throw isMissing(error)
          ? new StorageMissingError(`STORAGE: there is no bucket ${Bucket}`, { cause: error })
          : error;
      });
    },
    list: () => listObjects(client, Bucket, head),
    close() {
      client.destroy();
      return Promise.resolve();
    },
  };
}

interface ObjectRange {
  Bucket: string;
  /** Key in the bucket, including the prefix. */
  Key: string;
  /** Key as the caller knows it. */
  key: string;
  range: ByteRange | undefined;
}

async function* readObject(
  client: S3Client,
  { Bucket, Key, key, range }: ObjectRange,
): AsyncGenerator<Uint8Array> {
  const Range = range ? { Range: `bytes=${range.start}-${range.end}` } : {};
  const found = await client
    .send(new GetObjectCommand({ Bucket, Key, ...Range }))
    .catch((error: unknown) => {
      throw isMissing(error) ? new BlobMissingError(key, { cause: error }) : error;
    });
  if (!(found.Body instanceof Readable))
    throw new Error(`storage answered without a body for ${key}`);
  const body: AsyncIterable<Uint8Array> = found.Body;
  // Some servers send more than the range: the rest is never passed on.
  let left = range ? range.end - range.start + 1 : Infinity;
  for await (const chunk of body) {
    yield chunk.subarray(0, left);
    left -= chunk.byteLength;
    if (left <= 0) return;
  }
}

async function* listObjects(
  client: S3Client,
  Bucket: string,
  Prefix: string,
): AsyncGenerator<BlobStat> {
  for await (const page of paginateListObjectsV2({ client }, { Bucket, Prefix })) {
    for (const { Key = '', Size = 0, LastModified = new Date(0) } of page.Contents ?? []) {
      yield { key: Key.slice(Prefix.length), size: Size, modifiedAt: LastModified };
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && ['NoSuchKey', 'NotFound', 'NoSuchBucket'].includes(error.name);
}

/**
 * Says what the server answered, because the client has no words of its own for answers without a body; and whether to ask
 * again makes sense, as where it has no time (503 SlowDown).
 */
function explainAnswer(error: unknown): unknown {
  if (!(error instanceof S3ServiceException) || isMissing(error)) return error;
  const { httpStatusCode: status = 0 } = error.$metadata;
  if (status < 400) return error;
  const name = error.name.startsWith('Unknown') ? '' : ` ${error.name}`;
  const message = `the storage answered ${status}${name}`;
  return status >= 500 || status === 429
    ? new StorageBusyError(message, { cause: error })
    : new Error(message, { cause: error });
}
