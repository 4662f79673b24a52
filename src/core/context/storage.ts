/** Bytes in a temporary local file, until they are stored (`BlobStore.put`) or dropped (`discard`). */
export interface StagedBlob {
  /** The local file, which image libraries can read without loading it whole. */
  path: string;
  size: number;
  /** Lower-case hexadecimal. */
  sha256: string;
  /** CRC-32 as ZIP archives need it, so that an export need not read a file twice. */
  crc32: number;
  /** Syncs the file to disk and moves it to its final path; after that there is nothing to discard. */
  moveTo(path: string): Promise<void>;
  /**
   * Removes the file; does nothing if it is gone. Staged bytes must be put or discarded: until then the file stays
   * open.
   */
  discard(): Promise<void>;
}

export interface StageOptions {
  /** Throws BlobTooLargeError as soon as one byte more arrives. */
  maxBytes?: number;
  /** Stops, and removes what has arrived. */
  signal?: AbortSignal;
}

/** First and last byte, both inclusive, as in HTTP. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface BlobStat {
  key: string;
  size: number;
  modifiedAt: Date;
}

/**
 * Stores the bytes of images. A key is written once and never overwritten: it contains the content's SHA-256 and a
 * random part, so that removing an object can't hit one that is just being stored again. Both drivers pass
 * test/support/storage-contract.ts.
 */
export interface BlobStore {
  /** Streams bytes into a local file, counting and hashing them. Leaves nothing behind when it throws. */
  stage(body: AsyncIterable<Uint8Array>, options?: StageOptions): Promise<StagedBlob>;
  /** Local files left behind by a process that died while staging or storing them. */
  leftovers(): Promise<BlobStat[]>;
  /**
   * Removes leftovers and returns their number. Also marks the files that are still being staged, so that other
   * gateways don't remove them. To be called every few minutes.
   */
  tidy(): Promise<number>;
  /**
   * Stores staged bytes under a key. When it returns, they survive a power failure; when it throws, nothing is visible
   * under the key.
   */
  put(staged: StagedBlob, key: string): Promise<void>;
  /** Streams an object or a range of it; the first read throws BlobMissingError when there is none. */
  get(key: string, range?: ByteRange): AsyncIterable<Uint8Array>;
  /**
   * Reads an object from a position on into existing memory, until either ends; returns the number of bytes. Throws
   * BlobMissingError.
   */
  readInto(key: string, target: Uint8Array, position: number): Promise<number>;
  /** Undefined when there is no such object. */
  stat(key: string): Promise<BlobStat | undefined>;
  /** Removes an object; does nothing if it is gone. */
  delete(key: string): Promise<void>;
  /** Throws StorageMissingError when the bucket does not exist, or the disk is not mounted any more. */
  check(): Promise<void>;
  /** Every object, in no particular order. */
  list(): AsyncIterable<BlobStat>;
  close(): Promise<void>;
}

/** The body is longer than allowed. */
export class BlobTooLargeError extends Error {
  override name = 'BlobTooLargeError';
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`more than ${maxBytes} bytes`);
    this.maxBytes = maxBytes;
  }
}

/** The storage has no object under this key. */
export class BlobMissingError extends Error {
  override name = 'BlobMissingError';

  constructor(key: string, options?: ErrorOptions) {
    super(`storage has no object ${key}`, options);
  }
}

/** The storage has no time or has failed, and may answer when it is asked again. */
export class StorageBusyError extends Error {
  override name = 'StorageBusyError';
}

/** The bucket does not exist, or the disk is not mounted any more. */
export class StorageMissingError extends StorageBusyError {
  override name = 'StorageMissingError';
}

/** The disk or the quota is full. */
export class StorageFullError extends Error {
  override name = 'StorageFullError';
}

const KEY = /^[a-z0-9][a-z0-9._-]*(\/[a-z0-9][a-z0-9._-]*)*$/;

/**
 * Is it a key that every driver supports: lower-case segments that never start with a dot, so that no key leads out of
 * the folder?
 */
export function isBlobKey(key: string): boolean {
  return key.length <= 300 && KEY.test(key);
}
