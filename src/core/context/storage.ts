/** Bytes that wait in a local file until they are kept (`BlobStore.put`) or dropped (`discard`). */
export interface StagedBlob {
  /** The local file: image libraries read it without loading it whole. */
  path: string;
  size: number;
  /** Lower-case hexadecimal. */
  sha256: string;
  /** CRC-32 as ZIP archives hold it, so that an export needn't read a file twice. */
  crc32: number;
  /** Writes to the disk what the system still holds of it, and gives it a path for good: then there is nothing to discard. */
  moveTo(path: string): Promise<void>;
  /** Removes the file; harmless when it is gone. Whoever stages bytes puts or discards them: until then the file is open. */
  discard(): Promise<void>;
}

export interface StageOptions {
  /** Throws BlobTooLargeError as soon as one byte more arrives. */
  maxBytes?: number;
  /** Stops and removes what has arrived. */
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
 * Where the bytes of images live. A key is written once and never overwritten: it holds the content's SHA-256 and a random part, so that
 * removing an object can't hit one that is being stored anew. Both drivers pass test/support/storage-contract.ts.
 */
export interface BlobStore {
  /** Streams bytes into a local file and counts and hashes them on the way. Leaves nothing behind when it throws. */
  stage(body: AsyncIterable<Uint8Array>, options?: StageOptions): Promise<StagedBlob>;
  /** Local files that a process left when it died while it staged or put them. */
  leftovers(): Promise<BlobStat[]>;
  /** Removes them and returns how many there were; keeps what is still being staged from being taken for one. To be called every few minutes. */
  tidy(): Promise<number>;
  /** Keeps staged bytes under a key. When it returns they survive a power failure; when it throws nothing is visible under the key. */
  put(staged: StagedBlob, key: string): Promise<void>;
  /** Streams an object or a range of it; the first read throws BlobMissingError when there is none. */
  get(key: string, range?: ByteRange): AsyncIterable<Uint8Array>;
  /** Reads an object from a position on into memory that is there already, until one of the two ends; returns how many bytes were read. Throws BlobMissingError. */
  readInto(key: string, target: Uint8Array, position: number): Promise<number>;
  /** Undefined when there is no such object. */
  stat(key: string): Promise<BlobStat | undefined>;
  /** Removes an object; harmless when it is gone. */
  delete(key: string): Promise<void>;
  /** Throws StorageMissingError when there is nothing to keep objects in. */
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

/** The bucket is not there. */
export class StorageMissingError extends Error {
  override name = 'StorageMissingError';
}

/** The disk or the quota is full. */
export class StorageFullError extends Error {
  override name = 'StorageFullError';
}

const KEY = /^[a-z0-9][a-z0-9._-]*(\/[a-z0-9][a-z0-9._-]*)*$/;

/** Is it a key that every driver can hold: lower-case segments that never start with a dot, so that none leaves the folder. */
export function isBlobKey(key: string): boolean {
  return key.length <= 300 && KEY.test(key);
}
