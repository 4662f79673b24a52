/** The arguments can't be followed, e.g. a file that doesn't exist. */
export class UsageError extends Error {
  override name = 'UsageError';
}
