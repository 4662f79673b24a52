import { StorageFullError } from '../core/context/storage.ts';

/** Is it the system's "no space left", "quota exceeded", or a limit on the size of a file? */
export function isFull(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'ENOSPC' || error.code === 'EDQUOT' || error.code === 'EFBIG')
  );
}

/** What failed: in these words where there was no space, else as it is. */
export function tellFull(error: unknown, message: string): unknown {
  return isFull(error) ? new StorageFullError(message, { cause: error }) : error;
}
