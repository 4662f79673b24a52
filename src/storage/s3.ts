import { createReadStream } from 'node:fs';
import {
  DeleteObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import {
  isBlobKey,
  StorageBusyError,
  StorageMissingError,
  type BlobStat,
  type BlobStore,
  type ByteRange,
} from '../core/context/storage.ts';
import { isMissing, readObject } from './read-object.ts';
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
/** How long a part of an upload may take, in milliseconds, however steadily the server takes it. */
const SEND_WITHIN = 300_000;
/** A download holds a connection for as long as its client reads; `MAX_CONNECTIONS` bounds them. */
const agent = { maxSockets: Infinity };

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
  /** Instead of the ten seconds of silence, in milliseconds. */
  answerWithin?: number;
}

/**
 * Stores blobs as objects of an S3-compatible bucket. Larger ones are uploaded in parts, and the parts of a failed
 * upload are removed.
 */
export function openS3Store(options: S3Options): BlobStore {
  const { bucket: Bucket, prefix, region, endpoint, stagingFolder, credentials } = options;
  const answerWithin = options.answerWithin ?? ANSWER_WITHIN;
  const connect = (timeouts: { socketTimeout: number; requestTimeout: number }): S3Client => {
    const client = new S3Client({
      region,
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
      ...(credentials ? { credentials } : {}),
      maxAttempts: 2,
      requestHandler: {
        connectionTimeout: CONNECT_WITHIN,
        throwOnRequestTimeout: true,
        ...timeouts,
        httpAgent: agent,
        httpsAgent: agent,
      },
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
    return client;
  };
  const client = connect({ socketTimeout: answerWithin, requestTimeout: SEND_WITHIN });
  // Without a time limit on its sockets: they are silent, too, while a client does not take what has come.
  const reader = connect({ socketTimeout: 0, requestTimeout: answerWithin });
  const head = prefix === '' ? '' : `${prefix}/`;
  const keyOf = (key: string): string => {
    if (!isBlobKey(key)) throw new TypeError(`not a storage key: ${key}`);
    return head + key;
  };
  const read = (key: string, range?: ByteRange): AsyncGenerator<Uint8Array> =>
    readObject(reader, { Bucket, Key: keyOf(key), key, range, patience: answerWithin });
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
        const { ETag } = await new Upload({
          client,
          partSize: Math.max(PART_BYTES, Math.ceil(staged.size / MOST_PARTS)),
          queueSize: 2,
          params: { Bucket, Key, Body, ContentType: 'application/octet-stream' },
        }).done();
        // What stands between may answer with a page of its own, which the client takes for a success.
        if (ETag === undefined)
          throw new StorageBusyError(`the storage did not say that it has ${key}`);
      } finally {
        Body.destroy();
        await staged.discard();
      }
    },
    get: read,
    async readInto(key, target, position) {
      let filled = 0;
      for await (const chunk of read(key, {
        start: position,
        end: position + target.length - 1,
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
      reader.destroy();
      return Promise.resolve();
    },
  };
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

/**
 * Says what the server answered, because the client has no words of its own for answers without a body; and whether to ask
 * again makes sense, as where it has no time (503 SlowDown).
 */
function explainAnswer(error: unknown): unknown {
  if (error instanceof Error && error.name === 'CredentialsProviderError')
    return told(`STORAGE: ${error.message}`, error);
  if (!(error instanceof S3ServiceException) || isMissing(error)) return error;
  const { httpStatusCode: status = 0 } = error.$metadata;
  if (status < 300) return error;
  const name = error.name.startsWith('Unknown') ? '' : ` ${error.name}`;
  const message = `the storage answered ${status}${name}`;
  return status >= 500 || status === 429
    ? new StorageBusyError(message, { cause: error })
    : told(message, error);
}

/** An error whose code says that it is expected, so that commands print no stack. */
const told = (message: string, cause: Error): Error =>
  Object.assign(new Error(message, { cause }), { code: cause.name });
