import { BlobMissingError } from '../core/context/storage.ts';

/** Turns "no such file" into an error that names the object. */
export function missing(key: string): (error: unknown) => never {
  return (error) => {
    throw ignoreMissing(error) ?? new BlobMissingError(key, { cause: error });
  };
}

/** Undefined for "no such file"; rethrows anything else. */
export function ignoreMissing(error: unknown): undefined {
  if (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'ENOENT' || error.code === 'ENOTDIR')
  )
    return undefined;
  throw error;
}
