import * as z from 'zod';

/** Name of the last entry of a backup: only a complete backup has it. */
export const MANIFEST = 'manifest.json';

/** What a backup holds: the files below `pg/` (the embedded database) and `blobs/` (the stored images), with their SHA-256. */
export const manifestSchema = z.object({
  format: z.literal(1),
  createdAt: z.string(),
  /** False when the images are on S3, and therefore not in the backup. */
  hasBlobs: z.boolean(),
  files: z.record(z.string(), z.object({ size: z.number(), sha256: z.string() })),
});

export type BackupManifest = z.infer<typeof manifestSchema>;

/** The two folders of the embedded store. */
export interface StorePlaces {
  dataDir: string;
  /** Folder of the blob storage; undefined on S3. */
  blobs: string | undefined;
}

/** The file is not a backup, or not a complete one. */
export class DamagedBackupError extends Error {
  override name = 'DamagedBackupError';
}

/** The folders don't allow it: there is nothing to back up, or something would be overwritten. */
export class BackupPlaceError extends Error {
  override name = 'BackupPlaceError';
}
