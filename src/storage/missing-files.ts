import { codeOf } from '../core/errors.ts';

/** Undefined for "no such file"; rethrows anything else. */
export function ignoreMissing(error: unknown): undefined {
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  throw error;
}
