import { StorageFullError } from '../core/context/storage.ts';
import { codeOf } from '../core/errors.ts';

/** Is it the system's "no space left", "quota exceeded", or a limit on the size of a file? */
export const isFull = (error: unknown): boolean =>
  /^(ENOSPC|EDQUOT|EFBIG)$/.test(codeOf(error) ?? '');

/** What failed: in these words where there was no space, else as it is. */
export function tellFull(error: unknown, message: string): unknown {
  return isFull(error) ? new StorageFullError(message, { cause: error }) : error;
}
