import { statSync } from 'node:fs';

/** The embedded database is another user's, for whom what this process writes would be out of reach. */
export class OtherOwnerError extends Error {
  override name = 'OtherOwnerError';
}

/**
 * Refuses a database that belongs to another user, as PostgreSQL does: a process of root could open it, and its owner
 * never again. `own` is a file that this process has just made, so that disks which give every file to one user are left
 * alone. Throws OtherOwnerError.
 */
export function refuseOtherOwner(
  dataDir: string,
  { kept, own }: { kept: string; own: string },
): void {
  const { uid } = statSync(kept);
  if (uid === statSync(own).uid) return;
  throw new OtherOwnerError(
    `${dataDir} is the database of the user with the number ${uid}: run this as that user, e.g. by sudo -u '#${uid}'; or, if it is to belong to this one from now on, change the owner of all its files first`,
  );
}
