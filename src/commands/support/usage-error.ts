/** The arguments are not usable, e.g. they name a file that doesn't exist. */
export class UsageError extends Error {
  override name = 'UsageError';
}
