/** Content of the file `pg.complete` until a restored database is opened for the first time. */
export const RESTORED = 'restored';

/** Folder of what a restore has not moved to its place; it stays where a restore was killed. */
export const RESTORING = 'restoring';

/** A restore into the folder did not come to its end; an empty database would pass for the restored one. */
export class InterruptedRestoreError extends Error {
  override name = 'InterruptedRestoreError';
}
