import { Readable } from 'node:stream';
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { BlobMissingError, StorageBusyError, type ByteRange } from '../core/context/storage.ts';

/** Bytes per millisecond of waiting below which a server counts as unreachable, although it is never silent. */
const LEAST_RATE = 16;

export interface ObjectPlace {
  Bucket: string;
  /** Key in the bucket, including the prefix. */
  Key: string;
  /** Key as the caller knows it. */
  key: string;
  range: ByteRange | undefined;
  /** How long it may be silent, and in all take beyond the least rate, in milliseconds. */
  patience: number;
}

/**
 * Streams an object, or exactly a range of it. Throws BlobMissingError, and StorageBusyError where other bytes come than
 * were asked for, or too slowly; the time of who takes them does not count.
 */
export async function* readObject(
  client: S3Client,
  { Bucket, Key, key, range, patience }: ObjectPlace,
): AsyncGenerator<Uint8Array> {
  const Range = range ? { Range: `bytes=${range.start}-${range.end}` } : {};
  const found = await client
    .send(new GetObjectCommand({ Bucket, Key, ...Range }))
    .catch((error: unknown) => {
      throw isMissing(error) ? new BlobMissingError(key, { cause: error }) : error;
    });
  if (!(found.Body instanceof Readable))
    throw new Error(`storage answered without a body for ${key}`);
  // What stands between may answer with a page of its own, which has none.
  if (found.ETag === undefined) {
    found.Body.destroy();
    throw new StorageBusyError(`the storage did not answer with ${key}`);
  }
  // Some servers send all of it, or more than the range: the rest is never passed on.
  let [skip, left] = [range?.start ?? 0, range ? range.end - range.start + 1 : Infinity];
  const from = /^bytes (\d+)-/.exec(found.ContentRange ?? '')?.[1];
  if (from !== undefined) skip -= Number(from);
  if (skip < 0) {
    found.Body.destroy();
    throw new StorageBusyError(`the storage answered ${found.ContentRange} of ${key}`);
  }
  for await (const chunk of paced(found.Body, patience)) {
    const wanted = chunk.subarray(skip, skip + left);
    skip -= Math.min(skip, chunk.byteLength);
    left -= wanted.byteLength;
    if (wanted.byteLength > 0) yield wanted;
    if (left <= 0) return;
  }
}

/** The same bytes, until the next have not come in time. */
async function* paced(body: Readable, patience: number): AsyncGenerator<Uint8Array> {
  let [waited, taken, asked] = [0, 0, performance.now()];
  const giveUp = (): unknown =>
    body.destroy(new StorageBusyError(`the storage was silent, or slow, after ${taken} bytes`));
  const wait = (): NodeJS.Timeout =>
    setTimeout(giveUp, Math.min(patience, patience + taken / LEAST_RATE - waited));
  let timer = wait();
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      clearTimeout(timer);
      waited += performance.now() - asked;
      taken += chunk.byteLength;
      yield chunk;
      asked = performance.now();
      timer = wait();
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the server said that the object or the bucket is not there. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && ['NoSuchKey', 'NotFound', 'NoSuchBucket'].includes(error.name);
}
