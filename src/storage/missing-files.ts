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
